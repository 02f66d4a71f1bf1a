// A text area with colours behind it: the browser's own editing, keyboard and undo, over a copy of the text that is
// coloured and underlined. Messages are shown below the line that they are about.

import { fill, h } from "./dom.js";
import { pieces } from "./languages.js";

/** @typedef {import("./api.js").Finding} Finding */

const TOO_LONG_TO_COLOUR = 60_000;
const LEAST_WIDTH = 220; // of a message, in pixels

export class Editor {
  /**
   * @param {HTMLElement} place
   * @param {{ label: string, language: string, describedBy?: string, onInput: () => void, onRun: () => void }} options
   */
  constructor(place, options) {
    this.language = options.language;
    /** @type {Finding[]} */
    this.findings = [];
    /** @type {number | null} */
    this.marked = null;
    this.waiting = false;
    this.area = /** @type {HTMLTextAreaElement} */ (h("textarea", {
      class: "editor-area", "aria-label": options.label, spellcheck: "false", autocapitalize: "off",
      autocomplete: "off", autocorrect: "off", wrap: "off", "aria-describedby": options.describedBy,
    }));
    this.copy = h("pre", { class: "editor-copy", "aria-hidden": "true" });
    this.numbers = h("div", { class: "editor-numbers", "aria-hidden": "true" });
    this.notes = h("div", { class: "editor-notes", "aria-hidden": "true" });
    this.frame = h("div", { class: "editor-frame" }, this.copy, this.notes, this.area);
    fill(place, this.numbers, this.frame);
    this.area.addEventListener("input", () => {
      this.findings = [];
      this.draw();
      options.onInput();
    });
    this.area.addEventListener("scroll", () => this.drawNotes());
    for (const event of ["keyup", "click", "focus", "blur"]) this.area.addEventListener(event, () => this.drawNotes());
    this.area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        options.onRun();
      }
    });
    this.draw();
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.findings = [];
    this.marked = null;
    this.draw();
    this.area.scrollTop = 0;
  }

  /** @param {boolean} readOnly */
  set readOnly(readOnly) {
    this.area.readOnly = readOnly;
  }

  /** @param {Finding[]} findings */
  show(findings) {
    const before = this.findings.length;
    this.findings = findings.filter((one) => one.line !== undefined);
    if (!before && !this.findings.length) return;
    this.area.setAttribute("aria-invalid", String(this.findings.some((one) => one.severity === "error")));
    this.draw();
  }

  /**
   * Go to a place in the text.
   * @param {number} line
   * @param {number} [column]
   */
  goTo(line, column = 1) {
    const lines = this.text.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(before + column - 1, before + column - 1);
    this.area.scrollTop = Math.max(0, (line - 4) * this.lineHeight());
    this.drawNotes();
  }

  /**
   * Mark a line, such as that of a rule; null marks none.
   * @param {number | null} line
   */
  mark(line) {
    this.marked = line;
    this.draw();
  }

  lineHeight() {
    return parseFloat(getComputedStyle(this.area).lineHeight) || 20;
  }

  /** Draw before the next picture, and once: text that is pasted comes as an event for each of its lines. */
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint() {
    const text = this.text;
    const coloured = text.length < TOO_LONG_TO_COLOUR ? pieces(text, this.language) : [["", text]];
    fill(this.copy, underlined(coloured, this.ranges(text)), "\n");
    const count = text.split("\n").length;
    const worst = new Map(this.findings.map((one) => [one.line, one.severity]));
    fill(this.numbers, h("div", { class: "editor-numbers-inner" }, Array.from({ length: count }, (_, i) => h(
      "span", { class: `${worst.get(i + 1) ?? ""} ${this.marked === i + 1 ? "marked" : ""}`.trim() }, i + 1,
    ))));
    this.drawNotes();
    this.follow();
  }

  /** Where the findings are, as ranges of the text. @param {string} text */
  ranges(text) {
    const starts = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    return this.findings.map((one) => {
      const begin = (starts[(one.line ?? 1) - 1] ?? text.length) + (one.column ?? 1) - 1;
      return { begin, end: begin + Math.max(1, one.length ?? 1), kind: one.severity };
    });
  }

  /** The messages: below its line for the one at the cursor, at the end of their lines for the others. */
  drawNotes() {
    const height = this.lineHeight();
    const at = this.text.slice(0, this.area.selectionStart).split("\n").length;
    const lines = this.text.split("\n");
    const seen = new Set();
    const here = document.activeElement === this.area ? this.findings.find((one) => one.line === at) : undefined;
    const shown = here ?? (this.findings.length === 1 && document.activeElement !== this.area ? this.findings[0] : undefined);
    fill(this.notes, h("div", { class: "editor-notes-inner" }, this.findings.map((one) => {
      const line = one.line ?? 1;
      if (seen.has(line)) return null;
      seen.add(line);
      const below = one === shown;
      const place = h("div", { class: "editor-note-place" },
        h("div", { class: `editor-note ${one.severity}${below ? " below" : ""}` }, one.message));
      place.style.top = `${(below ? line : line - 1) * height}px`;
      // A `ch` is a letter of the text: the place has the font of the text, the message one of its own.
      const end = `${(lines[line - 1]?.length ?? 0) + 2}ch`;
      const seenTo = `100% + ${this.area.scrollLeft}px`;
      const left = below ? `min(${Math.max(0, (one.column ?? 1) - 1)}ch, ${seenTo} - ${LEAST_WIDTH}px)` : end;
      place.style.left = left;
      place.style.maxWidth = `max(${LEAST_WIDTH}px, ${seenTo} - ${left})`;
      return place;
    })));
    this.follow();
  }

  /** The copy, the numbers and the notes are where the text is. */
  follow() {
    const { scrollTop, scrollLeft } = this.area;
    this.copy.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    const inner = this.notes.firstElementChild;
    if (inner) inner.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    const numbers = this.numbers.firstElementChild;
    if (numbers) numbers.style.transform = `translateY(${-scrollTop}px)`;
  }
}

/**
 * Coloured pieces as elements, cut where an underline begins or ends.
 * @param {any[]} coloured
 * @param {Array<{ begin: number, end: number, kind: string }>} ranges
 */
function underlined(coloured, ranges) {
  const cuts = [...new Set(ranges.flatMap((one) => [one.begin, one.end]))].sort((a, b) => a - b);
  const made = [];
  let at = 0;
  for (const [kind, text] of coloured) {
    const within = cuts.filter((cut) => cut > at && cut < at + text.length);
    let begin = at;
    for (const end of [...within, at + text.length]) {
      const bad = ranges.find((one) => one.begin <= begin && begin < one.end);
      const part = text.slice(begin - at, end - at);
      const name = [kind && `t-${kind}`, bad && `underlined ${bad.kind}`].filter(Boolean).join(" ");
      made.push(name ? h("span", { class: name }, part) : part);
      begin = end;
    }
    at += text.length;
  }
  return made;
}
