// The page with an editor: write a program, play a stream, and look at what holds and why.

import { ask, Session } from "./api.js";
import { byId, debounced, fill, h, toast } from "./dom.js";
import { Editor } from "./editor.js";
import { Looking } from "./looking.js";
import { showFindings } from "./panels.js";
import { addressOf, draftInAddress, keep, keptDraft } from "./share.js";
import { StreamPanel } from "./stream.js";

const QUIET = 250;
const RATES = 1.0;

/** @typedef {"ready" | "loading" | "compiling" | "playing" | "paused" | "ended" | "failed"} State */

const SAID = {
  ready: "Ready", loading: "Starting…", compiling: "Compiling the engine for this program; only the first time…",
  playing: "Playing", paused: "Paused", ended: "At the end", failed: "Stopped by an error",
};

export class Playground {
  /** @param {any} about what the server says about itself */
  constructor(about) {
    this.about = about;
    /** @type {State} */
    this.state = "ready";
    this.loaded = false;
    this.checked = false;
    this.checks = 0;
    /** @type {any[]} */
    this.findings = [];
    /** @type {any[]} */
    this.runFindings = [];
    /** @type {Map<number, number>} */
    this.rates = new Map();
    this.measuredAt = 0;
    /** @type {any} */
    this.measuredBefore = null;
    this.draft = { title: "", from: "", to: "" };
    this.session = new Session((name, content) => this.hear(name, content));
    this.looking = new Looking({
      explain: (atom, time) => this.session.ask({ do: "explain", goal: atom, time }),
      line: (line, go) => this.goToLine(line, go),
    });
    const check = debounced(() => void this.check(), QUIET);
    const changed = () => {
      this.touched();
      check();
    };
    this.keepSoon = debounced(() => this.keep(), QUIET);
    this.editor = new Editor(byId("program-editor"), {
      label: "Program", language: "lars", describedBy: "program-findings", onInput: changed, onRun: () => void this.play(),
    });
    this.stream = new StreamPanel({
      onChange: () => this.touched(), onRun: () => void this.play(), limits: about.limits, named: about.streams,
      program: () => ({ text: this.editor.text, language: this.language }),
    });
    this.fillChoices();
    byId("play").addEventListener("click", () => void (this.state === "playing" ? this.pause() : this.play()));
    byId("step").addEventListener("click", () => void this.step());
    byId("restart").addEventListener("click", () => void this.restart());
    byId("speed").addEventListener("change", () => {
      if (this.state === "playing") void this.session.ask({ do: "play", speed: this.speed });
    });
    byId("share").addEventListener("click", () => void this.share());
    byId("format").addEventListener("click", () => void this.format());
    byId("translate").addEventListener("click", () => void this.translate());
    for (const id of ["from", "to"]) byId(id).addEventListener("input", () => this.touched());
    byId("share-close").addEventListener("click", () => byId("share-dialog").close());
    byId("rules-close").addEventListener("click", () => byId("rules-dialog").close());
    window.addEventListener("pagehide", () => {
      this.keep();
      this.session.leave();
    });
    window.addEventListener("hashchange", () => void this.openAddress());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  // -- what is edited ----------------------------------------------------------------------------------------------

  async begin() {
    if (await this.openAddress()) return;
    const kept = keptDraft();
    if (kept) this.open(kept);
    else if (this.about.opening) this.open({ ...this.about.opening, stream: "", from: "", to: "" });
    else this.openExample(0);
    if (!kept && this.about.streams.length) this.stream.choose(0);
  }

  async openAddress() {
    const draft = await draftInAddress();
    if (!draft) return false;
    this.open(draft);
    history.replaceState(null, "", location.pathname); // it is in this tab now, and may be changed
    toast("This program came with the link. Nothing runs until you press Play.");
    return true;
  }

  /** @param {number} number */
  openExample(number) {
    const { title, language, program, stream, from = "", to = "" } = this.about.examples[number];
    byId("ask-atom").value = "";
    this.open({ title, language, program, stream, from, to });
  }

  /** @param {any} draft */
  open(draft) {
    this.draft.title = draft.title ?? "";
    byId("language").value = draft.language;
    this.editor.language = draft.language;
    this.editor.text = draft.program;
    this.stream.text = draft.stream;
    byId("from").value = draft.from;
    byId("to").value = draft.to;
    byId("example").value = this.about.examples.findIndex((/** @type {any} */ one) => one.title === draft.title && one.program === draft.program);
    this.touched();
    void this.check();
  }

  fillChoices() {
    fill(byId("example"), h("option", { value: "-1", disabled: true }, "Examples"), this.about.examples.map(
      (/** @type {any} */ one, /** @type {number} */ i) => h("option", { value: i, title: one.about }, one.title)));
    byId("example").addEventListener("change", (/** @type {any} */ event) => this.openExample(Number(event.target.value)));
    fill(byId("language"), this.about.languages.map((/** @type {any} */ one) => h("option", { value: one.name }, one.title)));
    byId("language").addEventListener("change", () => {
      this.editor.language = this.language;
      this.editor.draw();
      this.touched();
      void this.check();
    });
  }

  get language() {
    return byId("language").value;
  }

  get speed() {
    return Number(byId("speed").value);
  }

  content() {
    return { text: this.editor.text, language: this.language, stream: this.stream.content(), from: byId("from").value, to: byId("to").value };
  }

  /** Something has changed: what ran was another program. */
  touched() {
    this.keepSoon();
    if (this.runFindings.length) {
      this.runFindings = [];
      this.drawFindings();
    }
    if (this.state === "playing") void this.session.ask({ do: "pause" });
    if (this.loaded || this.state !== "ready") {
      this.loaded = false;
      this.setState("ready");
      byId("stale").hidden = !this.looking.history.moments.length;
    }
  }

  /** What is in the editors survives a reload. */
  keep() {
    keep({ language: this.language, program: this.editor.text, stream: this.stream.text, from: byId("from").value, to: byId("to").value,
      title: this.draft.title });
  }

  async check() {
    const mine = (this.checks += 1);
    const answer = await ask("/api/ask", { do: "check", text: this.editor.text, language: this.language });
    if (mine !== this.checks) return; // somebody has typed on
    this.findings = answer.findings ?? [];
    this.checked = true;
    if (answer.about) this.looking.know(answer.about, !this.loaded && !this.looking.history.moments.length);
    this.drawFindings();
  }

  drawFindings() {
    const all = [...this.findings, ...this.runFindings.filter((one) => !this.findings.some((two) => two.message === one.message && two.line === one.line))];
    const inProgram = all.filter((one) => one.where === "program" || one.where === undefined);
    const inStream = all.filter((one) => one.where !== "program" && one.where !== undefined);
    this.editor.show(inProgram);
    this.stream.editor.show(inStream.filter((one) => one.where === "stream"));
    showFindings(byId("program-findings"), inProgram, (one) => this.editor.goTo(one.line ?? 1, one.column));
    showFindings(byId("stream-findings"), inStream, (one) => this.stream.editor.goTo(one.line ?? 1, one.column));
    if (!this.checked) return;
    const errors = all.filter((one) => one.severity === "error").length;
    const warnings = all.length - errors;
    const count = [errors && counted(errors, "error"), warnings && counted(warnings, "warning")].filter(Boolean).join(", ");
    byId("verdict").textContent = count || "No mistakes";
    byId("verdict").className = errors ? "error" : warnings ? "warning" : "fine";
  }

  // -- running -----------------------------------------------------------------------------------------------------

  /** @param {State} state */
  setState(state) {
    this.state = state;
    byId("state").textContent = SAID[state];
    byId("state").title = SAID[state]; // the whole, where there is no room for it
    byId("state").dataset.state = state;
    const playing = state === "playing";
    byId("play").dataset.playing = String(playing);
    byId("play-text").textContent = playing ? "Pause" : state === "ended" ? "Play again" : "Play";
    const busy = state === "loading" || state === "compiling";
    for (const id of ["play", "step", "restart"]) byId(id).disabled = busy;
  }

  /** Send program and stream to the server, unless they run there already. */
  async load() {
    if (this.loaded) return true;
    this.setState("loading");
    this.runFindings = [];
    const answer = await this.session.ask({ do: "load", ...this.content() });
    if (!answer.about) {
      this.fail(answer.findings ?? []);
      return false;
    }
    this.loaded = true;
    this.rates.clear();
    this.measuredBefore = null;
    byId("stale").hidden = true;
    this.looking.begin(answer.about, answer.first);
    this.drawFindings();
    return true;
  }

  async play() {
    if (this.state === "ended") this.loaded = false;
    if (!(await this.load())) return;
    this.setState("playing");
    this.measuredAt = performance.now() / 1000;
    this.looking.follow();
    const answer = await this.session.ask({ do: "play", speed: this.speed });
    if (answer.findings) this.fail(answer.findings);
  }

  async pause() {
    await this.session.ask({ do: "pause" });
  }

  async step() {
    const ended = this.state === "ended";
    if (!(await this.load())) return;
    this.looking.follow();
    const answer = await this.session.ask({ do: "step" });
    if (answer.findings) this.fail(answer.findings);
    else if (this.state !== "ended" && this.state !== "failed") this.setState(ended ? "ended" : "paused");
  }

  async restart() {
    this.loaded = false;
    if (await this.load()) this.setState("paused");
  }

  /** @param {any[]} findings */
  fail(findings) {
    this.loaded = false;
    this.runFindings = findings;
    this.drawFindings();
    this.setState("failed");
    if (findings[0]) {
      toast(findings[0].message);
      this.looking.problem(findings);
    }
  }

  /** @param {string} name @param {any} content */
  hear(name, content) {
    if (name === "compiling") {
      if (this.state === "loading" || this.state === "compiling") this.setState(content.compiling ? "compiling" : "loading");
    } else if (name === "killed") {
      this.fail([content]);
    } else if (name === "paused") {
      if (this.state === "playing") this.setState("paused");
    } else if (this.loaded) {
      this.measure(content.figures, content.ended);
      this.looking.add(content.moments, content.figures, this.rates);
      if (content.findings) this.fail(content.findings);
      else {
        if (content.notes?.length) {
          this.runFindings = content.notes;
          this.drawFindings();
        }
        if (content.ended) this.setState("ended");
      }
    }
  }

  /**
   * Rows a second for each rule, over about the last second, or over all of a run that is shorter.
   * @param {any} figures
   * @param {boolean} ended
   */
  measure(figures, ended) {
    const now = performance.now() / 1000;
    if (!figures?.rules || (now - this.measuredAt < RATES && !(ended && !this.rates.size))) return;
    const before = new Map((this.measuredBefore?.rules ?? []).map((/** @type {any} */ one) => [one.rule, one.rows]));
    for (const one of figures.rules) {
      this.rates.set(one.rule, (one.rows - (before.get(one.rule) ?? 0)) / Math.max(now - this.measuredAt, 0.001));
    }
    this.measuredBefore = figures;
    this.measuredAt = now;
  }

  // -- other buttons -----------------------------------------------------------------------------------------------

  /** @param {number | null} line @param {boolean} go */
  goToLine(line, go) {
    this.editor.mark(line);
    if (line !== null && go) {
      this.looking.showPane("program");
      this.editor.goTo(line);
    }
  }

  async share() {
    const content = { language: this.language, program: this.editor.text, stream: this.stream.text, from: byId("from").value,
      to: byId("to").value, title: this.draft.title };
    const address = await addressOf(content);
    if (!address) {
      toast("This is too long for a link. Save the program and the stream as files instead.");
      return;
    }
    byId("share-link").value = address;
    byId("share-dialog").showModal();
    byId("share-link").select();
    try {
      await navigator.clipboard.writeText(address);
      byId("share-said").textContent = "The link is in the clipboard.";
    } catch {
      byId("share-said").textContent = "Copy the link from here.";
    }
  }

  async format() {
    const answer = await ask("/api/ask", { do: "format", text: this.editor.text, language: this.language });
    if (answer.text === undefined) toast(answer.findings?.[0]?.message ?? "That did not work.");
    else if (answer.text === this.editor.text) toast("The layout is fine already.");
    else {
      this.editor.area.focus();
      this.editor.area.select();
      // The only way that the browser can undo.
      if (!document.execCommand("insertText", false, answer.text)) this.editor.text = answer.text;
    }
  }

  async translate() {
    const answer = await ask("/api/ask", { do: "translate", text: this.editor.text, language: this.language });
    if (answer.text === undefined) {
      toast(answer.findings?.[0]?.message ?? "That did not work.");
      return;
    }
    byId("rules-text").textContent = answer.text;
    byId("rules-dialog").showModal();
  }

  /** Keys that work everywhere but where somebody types. @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("textarea, input, select, dialog, button, summary, [role=tab]")) return;
    if (event.key === " ") {
      event.preventDefault();
      void (this.state === "playing" ? this.pause() : this.play());
    } else if (event.key === ".") void this.step();
  }
}

/** @param {number} number @param {string} thing */
function counted(number, thing) {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
