// The page for an engine or a pipeline that runs: it looks on, asks why, and changes nothing.

import { ask } from "./api.js";
import { byId, fill, h, s } from "./dom.js";
import { Editor } from "./editor.js";
import { Looking } from "./looking.js";
import { milliseconds } from "./panels.js";
import { size } from "./stream.js";

const MOST_BATCHES = 120;

export class Attached {
  /** @param {any} about */
  constructor(about) {
    this.about = about;
    this.held = false;
    /** @type {any[]} */
    this.waiting = [];
    /** @type {any[]} */
    this.batches = [];
    this.editor = new Editor(byId("program-editor"), { label: "Program", language: about.language, onInput() {}, onRun() {} });
    this.editor.readOnly = true;
    this.editor.text = about.program;
    this.looking = new Looking({
      explain: (atom) => ask("/api/attached/explain", { goal: atom }),
      line: (line, go) => {
        this.editor.mark(line);
        if (line !== null && go) this.editor.goTo(line);
      },
    });
    byId("timeline-hint").textContent = "Nothing has come since this page was opened.";
    byId("freeze").addEventListener("click", () => this.hold(!this.held));
  }

  begin() {
    this.looking.begin(this.about.about, 0);
    if (this.about.kind === "pipeline") {
      byId("ask-form").hidden = true;
      byId("why-hint").textContent = "A pipeline keeps no window to ask: lasing pipeline --at shows what held earlier.";
      byId("tab-why").hidden = true;
      this.looking.showTab("changes");
    }
    const source = new EventSource("/api/attached/events");
    for (const name of ["holding", "moments", "batches"]) {
      source.addEventListener(name, (event) => this.hear(name, JSON.parse(/** @type {MessageEvent} */ (event).data)));
    }
    source.addEventListener("hello", () => {
      this.looking.begin(this.about.about, 0);
      this.batches = [];
      this.said("playing", "Live");
    });
    source.addEventListener("error", () => this.said("failed", "The connection is lost; trying again"));
  }

  /** @param {string} state @param {string} text */
  said(state, text) {
    byId("state").textContent = text;
    byId("state").dataset.state = state;
  }

  /** @param {string} name @param {any} content */
  hear(name, content) {
    if (name === "holding") this.standing = content.atoms;
    else if (this.held) this.waiting.push([name, content]);
    else if (name === "moments") this.moments(content);
    else this.more(content.batches);
  }

  /** @param {boolean} held */
  hold(held) {
    this.held = held;
    byId("freeze").setAttribute("aria-pressed", String(held));
    if (held) this.said("paused", "The picture is held");
    else {
      for (const [name, content] of this.waiting.splice(0)) this.hear(name, content);
      this.said("playing", "Live");
    }
  }

  // -- an engine ---------------------------------------------------------------------------------------------------

  /** @param {any} content */
  moments({ moments, figures }) {
    if (moments.length) {
      if (!this.looking.history.moments.length) this.startWith(moments[0]);
      this.looking.add(moments, null, new Map());
    }
    const seconds = Math.max(figures.uptime, 0.001);
    fill(byId("figures"), [
      figure("Time point", figures.time ?? "none yet"),
      figure("Pushes", figures.pushes.toLocaleString("en")),
      figure("Facts", figures.facts.toLocaleString("en")),
      figure("Facts a second", (figures.facts / seconds).toFixed(1)),
      figure("Mean time of a push", figures.pushes ? milliseconds(figures.seconds / figures.pushes) : "–"),
      figure("Longest push", milliseconds(figures.slowest)),
      figure("Busy", `${((100 * figures.seconds) / seconds).toFixed(1)} %`),
      figure("Changes", `+${figures.added.toLocaleString("en")} −${figures.removed.toLocaleString("en")}`),
      figure("Late facts", figures.late.toLocaleString("en")),
    ]);
  }

  /** What held already when the page was opened begins with the first moment. @param {any} moment */
  startWith(moment) {
    const history = this.looking.history;
    history.first = moment.time;
    history.last = moment.time;
    const fresh = new Set(moment.added.map((/** @type {any} */ one) => one[1]));
    for (const [predicate, text] of this.standing ?? []) {
      if (!fresh.has(text)) history.start(predicate, text, moment.time, true);
    }
  }

  // -- a pipeline --------------------------------------------------------------------------------------------------

  /** @param {any[]} batches */
  more(batches) {
    this.batches.push(...batches);
    this.batches.splice(0, this.batches.length - MOST_BATCHES);
    const last = this.batches.at(-1);
    if (!last) return;
    const total = this.batches.reduce((sum, one) => sum + one.events, 0);
    byId("clock").textContent = last.evaluated_until || "–";
    fill(byId("figures"), [
      figure("Batch", last.batch),
      figure("Evaluated until", last.evaluated_until || "nothing yet"),
      figure("Waiting for", last.waiting_for.join(", ") || "nothing"),
      figure("Events in the last batches", total.toLocaleString("en")),
      figure("Late", last.late_so_far.toLocaleString("en")),
      figure("Bad rows", last.bad_so_far.toLocaleString("en")),
      chart("Events a second", this.batches.map((one) => one.events_per_second), (one) => Math.round(one).toLocaleString("en")),
      chart("Time of a batch", this.batches.map((one) => one.seconds), milliseconds),
      chart("State", this.batches.map((one) => one.state_bytes), size),
      chart("Late events", this.batches.map((one) => one.late), (one) => one.toLocaleString("en")),
    ]);
    this.drawBatches(last);
  }

  /** @param {any} last */
  drawBatches(last) {
    byId("timeline-hint").hidden = true;
    const names = ["Batch", "Events", "Events/s", "Evaluated until", "State", "Late", "Out"];
    fill(byId("timeline"), h("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Batches" }, h("table", {},
      h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, this.batches.slice(-10).reverse().map((one) => h("tr", {},
        [one.batch, one.events.toLocaleString("en"), Math.round(one.events_per_second).toLocaleString("en"), one.evaluated_until || "–",
          size(one.state_bytes), one.late.toLocaleString("en"),
          Object.entries(one.rows).map(([name, count]) => `${Number(count).toLocaleString("en")} ${name}`).join(", ") || "nothing",
        ].map((cell) => h("td", {}, cell))))))));
    const results = Object.entries(last.results ?? {});
    fill(byId("changes-content"), results.length ? results.map(([name, rows]) => h("section", { class: "changes-group" },
      h("h3", { class: "changes-when" }, `Last results of ${name}`), h("ul", { class: "changes results" }, /** @type {string[]} */ (rows).map(
        (row) => h("li", {}, h("code", {}, row)))))) : h("p", { class: "empty" }, "No results yet."));
  }
}

/** @param {string} name @param {string | number} value */
function figure(name, value) {
  return h("dl", { class: "figure" }, h("dt", {}, name), h("dd", {}, value));
}

/** Numbers as a line, with the newest in words. @param {string} name @param {number[]} numbers @param {(one: number) => string} shown */
function chart(name, numbers, shown) {
  const most = Math.max(...numbers, 1e-9);
  const x = (/** @type {number} */ i) => (numbers.length < 2 ? 100 : (100 * i) / (numbers.length - 1));
  const points = numbers.map((one, i) => `${x(i).toFixed(2)},${(38 - (36 * one) / most).toFixed(2)}`);
  return h("div", { class: "chart" }, h("p", {}, name, h("strong", {}, shown(numbers.at(-1) ?? 0))),
    s("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img", "aria-label": `${name}: from ${shown(numbers[0])} to ${
      shown(numbers.at(-1) ?? 0)}, at most ${shown(most)}` },
    s("polygon", { points: `${x(0)},40 ${points.join(" ")} 100,40` }), s("polyline", { points: points.join(" ") })));
}
