// What is looked at: the timeline and the panels below it, whether a program is played or an engine watched.

import { byId, fill, h } from "./dom.js";
import { History } from "./history.js";
import { showChanges, showRules } from "./panels.js";
import { tabs } from "./tabs.js";
import { Timeline } from "./timeline.js";
import { showWhy } from "./why.js";

export class Looking {
  /**
   * @param {{ explain: (atom: string, time: number) => Promise<any>, line: (line: number | null, go: boolean) => void }} on
   */
  constructor(on) {
    this.on = on;
    this.history = new History();
    /** @type {any} */
    this.about = null;
    /** @type {any} */
    this.figures = null;
    /** @type {Map<number, number>} */
    this.rates = new Map();
    this.questions = 0;
    this.timeline = new Timeline(byId("timeline"), this.history, {
      ask: (atom, time) => void this.ask(atom, time),
      move: () => this.drawPanels(),
      say: (text) => { byId("live").textContent = text; },
    });
    this.tab = "why";
    this.showTab = tabs(byId("panel-tabs"), (name) => {
      this.tab = name;
      this.drawPanels();
    });
    this.showPane = tabs(byId("pane-tabs"), (name) => {
      document.body.dataset.pane = name;
      this.timeline.redraw();
    });
    byId("zoom-in").addEventListener("click", () => this.timeline.zoomBy(1.5));
    byId("zoom-out").addEventListener("click", () => this.timeline.zoomBy(1 / 1.5));
    byId("zoom-fit").addEventListener("click", () => this.timeline.fit());
    byId("ask-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      const atom = byId("ask-atom").value.trim();
      if (atom) void this.ask(atom, this.timeline.now);
    });
  }

  /** What a program is; `anew` if its lanes are to be drawn, because nothing has happened yet. @param {any} about @param {boolean} anew */
  know(about, anew) {
    this.about = about;
    if (anew) {
      this.history.begin(about.predicates, 0);
      this.timeline.redraw();
    }
    byId("timeline-hint").hidden = this.history.moments.length > 0;
    this.drawPanels();
  }

  /** A run begins. @param {any} about @param {number} first */
  begin(about, first) {
    this.history.begin(about.predicates, first);
    this.timeline.cursor = null;
    this.timeline.show(null, []);
    this.figures = null;
    fill(byId("why-answer"));
    byId("why-hint").hidden = false;
    this.know(about, false);
    this.timeline.redraw();
  }

  follow() {
    this.timeline.moveTo(null);
  }

  /** @param {any[]} moments @param {any} figures @param {Map<number, number>} rates */
  add(moments, figures, rates) {
    for (const moment of moments) this.history.add(moment);
    if (figures) this.figures = figures;
    this.rates = rates;
    byId("timeline-hint").hidden = true;
    this.timeline.redraw();
    this.drawPanels();
    const last = moments.at(-1);
    if (last) byId("live").textContent = inWords(last);
  }

  drawPanels() {
    byId("clock").classList.toggle("empty", !this.history.moments.length);
    byId("clock").textContent = this.history.moments.length ? this.history.shown(this.timeline.now) : "–";
    if (this.tab === "changes") {
      showChanges(byId("changes-content"), this.history, this.timeline.now, (atom, time) => void this.ask(atom, time));
    } else if (this.tab === "rules") {
      showRules(byId("rules-content"), this.about, this.figures, this.rates, this.on.line);
    }
  }

  /** Ask why an atom holds or does not; one that is not whole yet goes into the field. @param {string} atom @param {number} time */
  async ask(atom, time) {
    this.showTab("why");
    const field = byId("ask-atom");
    field.value = atom;
    if (atom.endsWith("(")) {
      field.focus();
      return;
    }
    const mine = (this.questions += 1);
    const place = byId("why-answer");
    place.setAttribute("aria-busy", "true");
    const answer = await this.on.explain(atom, time);
    if (mine !== this.questions) return;
    place.removeAttribute("aria-busy");
    byId("why-hint").hidden = true;
    if (answer.time !== undefined && answer.time !== time) { // what was asked has a time in it
      time = answer.time;
      this.timeline.moveTo(time);
    }
    showWhy(place, atom, time, answer, {
      goTo: (to) => this.timeline.moveTo(to),
      ask: (other, at) => {
        this.timeline.moveTo(at);
        void this.ask(other, at);
      },
      line: (line) => this.on.line(line, true),
      shown: (at) => this.history.shown(at),
    });
    this.timeline.show({ atom, time }, answer.uses ?? []);
    byId("live").textContent = answer.tree
      ? `${atom} ${answer.holds ? "holds" : "does not hold"} at ${this.history.shown(time)}; the reasons are below`
      : answer.findings?.[0]?.message ?? "";
  }

  /** Say what stopped a run, where somebody looks. @param {any[]} findings */
  problem(findings) {
    this.showTab("why");
    byId("why-hint").hidden = true;
    fill(byId("why-answer"), findings.slice(0, 3).map((one) => h("div", { class: "problem", role: "alert" },
      h("strong", {}, one.message), one.note ? h("p", {}, one.note) : null)));
  }
}

/** A moment in words, for those who listen. @param {any} moment */
function inWords(moment) {
  const parts = [
    moment.added.length && `now true: ${moment.added.slice(0, 3).map((/** @type {any} */ one) => one[1]).join(", ")}`,
    moment.removed.length && `no longer: ${moment.removed.slice(0, 3).map((/** @type {any} */ one) => one[1]).join(", ")}`,
  ].filter(Boolean);
  return parts.length ? `At ${moment.shown}, ${parts.join("; ")}` : "";
}
