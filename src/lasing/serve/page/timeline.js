// The timeline: a lane per predicate, data as marks, derived atoms as intervals. It is drawn as SVG, only what can be
// seen. What is where is computed from coordinates, for the pointer and for the keyboard in the same way.

import { fill, h, s } from "./dom.js";
import { argumentsOf, short } from "./history.js";

/**
 * @typedef {import("./history.js").History} History
 * @typedef {import("./history.js").Lane} Lane
 * @typedef {import("./history.js").Row} Row
 *
 * @typedef {object} Line one line of the picture
 * @property {"lane" | "marks" | "row"} kind
 * @property {Lane} lane
 * @property {Row | null} row
 * @property {number} top
 * @property {number} height
 * @property {number} colour
 */

const AXIS = 26;
const HEADING = 24;
const ROW = 24;
const MARKS = 30;
const CURVES = 58;
const RIGHT = 28;
const WIDEST = 34;
const MOST_SHOWN = 400;
const COLOURS = 6;
const CURVE_COLOURS = 4;
const LEAST_TICK = 56;

export class Timeline {
  /**
   * @param {HTMLElement} place
   * @param {History} history
   * @param {{ ask: (atom: string, time: number) => void, move: (time: number) => void, say: (text: string) => void }} on
   */
  constructor(place, history, on) {
    this.history = history;
    this.on = on;
    /** @type {number | null} The chosen time point; null follows the newest one. */
    this.cursor = null;
    /** @type {number | null} pixels for a time point; null fits everything */
    this.zoom = null;
    this.line = 0;
    /** @type {Array<{ atom: string, time: number }>} */
    this.used = [];
    /** @type {{ atom: string, time: number } | null} */
    this.asked = null;
    /** @type {Line[]} */
    this.lines = [];
    this.waiting = false;
    this.labels = h("div", { class: "timeline-labels", "aria-hidden": "true" });
    this.picture = s("svg", { class: "timeline-picture", "aria-hidden": "true" });
    this.body = h("div", {
      class: "timeline-body", tabindex: "0", role: "application", "aria-roledescription": "timeline",
      "aria-label": "Timeline. Left and right arrows move in time, up and down choose a line, Enter asks why.",
    }, this.labels, this.picture);
    this.tip = h("div", { class: "timeline-tip", "aria-hidden": "true", hidden: true });
    fill(place, this.body, this.tip);
    this.body.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    this.body.addEventListener("click", (/** @type {MouseEvent} */ event) => this.click(event));
    this.body.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.hover(event));
    this.body.addEventListener("pointerleave", () => this.hideTip());
    this.body.addEventListener("scroll", () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(this.body);
  }

  /** The time point that is looked at. */
  get now() {
    return this.cursor ?? this.history.last;
  }

  /** Draw soon, and once however much happens until then. */
  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  /** @param {number | null} time */
  moveTo(time) {
    const { first, last } = this.history;
    this.cursor = time === null || time >= last ? null : Math.max(first, time);
    this.on.move(this.now);
    this.redraw();
  }

  /** @param {number} factor */
  zoomBy(factor) {
    this.zoom = Math.min(120, Math.max(0.02, this.scale() * factor));
    this.redraw();
    requestAnimationFrame(() => this.reveal(this.now));
  }

  fit() {
    this.zoom = null;
    this.redraw();
  }

  /** Mark what an explanation rests on. @param {{ atom: string, time: number } | null} asked @param {any[]} used */
  show(asked, used) {
    this.asked = asked;
    this.used = used;
    this.redraw();
  }

  // -- places ------------------------------------------------------------------------------------------------------

  labelWidth() {
    return this.labels.getBoundingClientRect().width;
  }

  /** The first time point of the picture: all, or the newest part of a long run. */
  begin() {
    const { moments, first } = this.history;
    return this.zoom === null && moments.length > MOST_SHOWN ? moments[moments.length - MOST_SHOWN].time : first;
  }

  scale() {
    if (this.zoom !== null) return this.zoom;
    const width = this.body.clientWidth - this.labelWidth() - RIGHT;
    return Math.min(WIDEST, Math.max(width, 100) / (this.history.last - this.begin() + 1));
  }

  /** Where a time point begins, in the picture. @param {number} time */
  x(time) {
    return (time - this.begin()) * this.scale();
  }

  /** Lines from top to bottom. */
  layOut() {
    this.lines = [];
    let top = AXIS;
    let colour = 0;
    /** @param {Line["kind"]} kind @param {Lane} lane @param {Row | null} row @param {number} height */
    const line = (kind, lane, row, height) => {
      this.lines.push({ kind, lane, row, top, height, colour: lane.kind === "data" ? -1 : colour % COLOURS });
      top += height;
    };
    for (const lane of this.history.lanes) {
      if (lane.quiet && !lane.rows.size) continue; // it is about mistakes in the data, and there are none
      if (lane.kind === "data") {
        line("marks", lane, null, isCurve(lane) ? CURVES : MARKS);
        continue;
      }
      const rows = [...lane.rows.values()];
      const alone = rows.length === 1 && rows[0].atom === lane.name;
      if (alone) line("row", lane, rows[0], ROW);
      else {
        line("lane", lane, null, HEADING);
        for (const row of rows) line("row", lane, row, ROW);
      }
      colour += 1;
    }
    return top + 6;
  }

  // -- drawing -----------------------------------------------------------------------------------------------------

  draw() {
    const height = this.layOut();
    const { first, last, moments } = this.history;
    const scale = this.scale();
    const width = Math.max(this.x(last + 1) + RIGHT, this.body.clientWidth - this.labelWidth());
    fill(this.labels, this.lines.map((line, number) => this.label(line, number)));
    this.labels.style.height = `${height}px`;
    this.picture.setAttribute("width", String(width));
    this.picture.setAttribute("height", String(height));
    const left = this.body.scrollLeft;
    const from = this.begin() + left / scale - 1;
    const to = from + this.body.clientWidth / scale + 2;
    fill(
      this.picture,
      pattern(),
      this.lines.map((line, number) => this.background(line, number, width)),
      moments.length ? this.axis(width, height, Math.max(from, first), Math.min(to, last)) : null,
      this.lines.map((line) => this.content(line, from, to)),
      this.focusRing(),
    );
    if (this.cursor === null && this.zoom !== null) this.body.scrollLeft = this.body.scrollWidth;
    this.line = Math.min(this.line, Math.max(0, this.lines.length - 1));
  }

  /** @param {Line} line @param {number} number */
  label(line, number) {
    const { lane, row } = line;
    const name = line.kind === "row" && row && row.atom !== lane.name
      ? h("span", { class: "label-row", title: row.atom }, argumentsOf(row.atom))
      : h("span", { class: "label-lane", title: `${lane.name}/${lane.arity}` }, lane.name,
        lane.columns.length ? h("small", {}, ` ${lane.columns.join(", ")}`) : null);
    const dot = lane.kind === "derived" && (line.kind !== "row" || row?.atom === lane.name)
      ? h("span", { class: `swatch c${line.colour}` }) : lane.kind === "data" ? h("span", { class: "swatch data" }) : null;
    const made = h("div", { class: `label${number === this.line ? " chosen" : ""}` }, dot, name, legend(line));
    made.style.top = `${line.top}px`;
    made.style.height = `${line.height}px`;
    return made;
  }

  /** @param {Line} line @param {number} number @param {number} width */
  background(line, number, width) {
    const made = [];
    if (line.kind !== "row") {
      made.push(s("line", { class: "lane-edge", x1: 0, x2: width, y1: line.top, y2: line.top }));
    }
    if (line.kind === "row") {
      made.push(s("rect", {
        class: `row-back${number === this.line ? " chosen" : ""}`, x: 0, y: line.top + 1, width, height: line.height - 2,
      }));
    }
    return made;
  }

  /** @param {number} width @param {number} height @param {number} from @param {number} to */
  axis(width, height, from, to) {
    const scale = this.scale();
    const step = niceStep(LEAST_TICK / scale);
    const [made, now] = [[], this.x(this.now)];
    const text = this.tickText(this.now);
    const half = text.length * 3.6 + 7;
    const middle = Math.min(Math.max(now + scale / 2, half), width - half);
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      const x = this.x(time) + scale / 2;
      const label = this.tickText(time);
      made.push(s("line", { class: "grid", x1: x, x2: x, y1: AXIS - 4, y2: height }));
      if (Math.abs(x - middle) > half + label.length * 3.4) made.push(s("text", { class: "tick", x, y: 14 }, label));
    }
    made.push(s("rect", { class: "cursor-band", x: now, y: 0, width: Math.max(2, scale), height }));
    made.push(s("rect", { class: "cursor-flag", x: middle - half, y: 2, width: 2 * half, height: 17, rx: 8.5 }));
    made.push(s("text", { class: "cursor-text", x: middle, y: 14 }, text));
    return made;
  }

  /** @param {number} time */
  tickText(time) {
    const date = this.history.dateOf(time);
    return date === null ? String(time) : date.toISOString().slice(11, 19);
  }

  /** @param {Line} line @param {number} from @param {number} to */
  content(line, from, to) {
    if (line.kind === "marks") return isCurve(line.lane) ? this.curves(line, from, to) : this.marks(line, from, to);
    return line.row ? this.bars(line, line.row, from, to) : null;
  }

  /** Marks of one time point lie above one another. @param {Line} line @param {number} from @param {number} to */
  marks(line, from, to) {
    const scale = this.scale();
    /** @type {Map<number, number>} */
    const stacked = new Map();
    return line.lane.marks.filter((mark) => from <= mark.time && mark.time <= to).map((mark) => {
      const place = stacked.get(mark.time) ?? 0;
      stacked.set(mark.time, place + 1);
      if (place > 2) return null;
      return s("circle", {
        class: `mark${this.isUsed(mark.text, mark.time) ? " used" : ""}`, r: 4.5,
        cx: this.x(mark.time) + scale / 2, cy: line.top + line.height / 2 - 4 * Math.min(place, 2) + 2,
      });
    });
  }

  /** Readings as curves, one for each series. @param {Line} line @param {number} from @param {number} to */
  curves(line, from, to) {
    const numbers = line.lane.marks.map((mark) => mark.number ?? 0);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const room = line.height - 22;
    const scale = this.scale();
    /** @param {number} number */
    const y = (number) => line.top + 13 + room * (high === low ? 0.5 : (high - number) / (high - low));
    /** @type {Map<string, any[]>} */
    const series = new Map();
    for (const mark of line.lane.marks) {
      if (!series.has(mark.series)) series.set(mark.series, []);
      series.get(mark.series)?.push(mark);
    }
    const made = [];
    let number = 0;
    for (const marks of series.values()) {
      const seen = marks.filter((mark, i) => (marks[i + 1]?.time ?? mark.time) >= from && (marks[i - 1]?.time ?? mark.time) <= to);
      const points = seen.map((mark) => `${this.x(mark.time) + scale / 2},${y(mark.number)}`).join(" ");
      made.push(s("polyline", { class: `curve s${number % CURVE_COLOURS}`, points }));
      for (const mark of seen) {
        made.push(s("circle", {
          class: `mark s${number % CURVE_COLOURS}${this.isUsed(mark.text, mark.time) ? " used" : ""}`, r: scale < 3 ? 2.5 : 4,
          cx: this.x(mark.time) + scale / 2, cy: y(mark.number),
        }));
      }
      number += 1;
    }
    return made;
  }

  /** @param {Line} line @param {Row} row @param {number} from @param {number} to */
  bars(line, row, from, to) {
    const { last } = this.history;
    const scale = this.scale();
    return row.intervals.filter((one) => (one.until ?? last) >= from && one.since <= to).map((one) => {
      const until = one.until ?? last;
      const x = this.x(one.since);
      const width = Math.max(3, (until - one.since + 1) * scale - 1.5);
      const used = this.used.some((fact) => fact.atom === row.atom && one.since <= fact.time && fact.time <= until);
      const asked = this.asked?.atom === row.atom && one.since <= this.asked.time && this.asked.time <= until;
      const shape = { x: x + 0.75, y: line.top + 4, width, height: line.height - 8, rx: Math.min(5, width / 2) };
      return [
        s("rect", { ...shape, class: `bar c${line.colour}${one.certain ? "" : " possible"}${used || asked ? " used" : ""}` }),
        one.certain ? null : s("rect", { ...shape, fill: "url(#hatched)" }),
      ];
    });
  }

  /** A ring around the chosen line at the chosen time. */
  focusRing() {
    const line = this.lines[this.line];
    if (!line || !this.history.moments.length) return null;
    const scale = Math.max(8, this.scale());
    const x = this.x(this.now) + this.scale() / 2 - scale / 2;
    return s("rect", { class: "focus-ring", x: x - 2, y: line.top + 1, width: scale + 4, height: line.height - 2, rx: 5 });
  }

  /** @param {string} atom @param {number} time */
  isUsed(atom, time) {
    return this.used.some((fact) => fact.atom === atom && fact.time === time);
  }

  // -- pointer and keyboard ----------------------------------------------------------------------------------------

  /** What is at a place of the screen. @param {MouseEvent} event */
  at(event) {
    const box = this.picture.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const body = this.body.getBoundingClientRect();
    if (event.clientX < body.left + this.labelWidth()) return null;
    const time = Math.floor(x / this.scale() + this.begin());
    const number = this.lines.findIndex((line) => line.top <= y && y < line.top + line.height);
    const { first, last } = this.history;
    return { time: Math.min(Math.max(time, first), last), beyond: time > last, number, line: this.lines[number] };
  }

  /** @param {MouseEvent} event */
  click(event) {
    const found = this.at(event);
    if (!found || !this.history.moments.length) return;
    if (found.number >= 0) this.line = found.number;
    const mark = found.line?.kind === "marks" ? this.nearMark(found.line.lane, found.time) : undefined;
    this.moveTo(mark?.time ?? found.time);
    if (found.line) this.askAbout(found.line, mark?.text);
  }

  /** The newest mark within a few pixels. @param {Lane} lane @param {number} time */
  nearMark(lane, time) {
    const reach = Math.ceil(6 / this.scale());
    return lane.marks.filter((mark) => Math.abs(mark.time - time) <= reach)
      .sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time))[0];
  }

  /** @param {Line} line @param {string} [mark] */
  askAbout(line, mark) {
    if (line.kind === "row" && line.row) this.on.ask(line.row.atom, this.now);
    else if (mark) this.on.ask(mark, this.now);
    else if (line.kind === "lane" && line.lane.arity === 0) this.on.ask(line.lane.name, this.now);
    else if (line.kind === "lane") this.on.ask(`${line.lane.name}(`, this.now);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.lines.length) return;
    const { moments, first, last } = this.history;
    const big = event.shiftKey ? 10 : 1;
    const steps = {
      ArrowLeft: () => this.moveTo(this.now - big),
      ArrowRight: () => this.moveTo(this.now + big),
      Home: () => this.moveTo(first),
      End: () => this.moveTo(last),
      PageUp: () => this.moveTo([...moments].reverse().find((one) => one.time < this.now)?.time ?? first),
      PageDown: () => this.moveTo(moments.find((one) => one.time > this.now)?.time ?? last),
      ArrowUp: () => { this.line = Math.max(0, this.line - 1); },
      ArrowDown: () => { this.line = Math.min(this.lines.length - 1, this.line + 1); },
      Enter: () => this.enter(),
      "+": () => this.zoomBy(1.5),
      "-": () => this.zoomBy(1 / 1.5),
    }[event.key];
    if (!steps) return;
    event.preventDefault();
    steps();
    if (event.key !== "Enter") {
      this.reveal(this.now);
      this.on.say(this.spoken());
    }
    this.redraw();
  }

  enter() {
    const line = this.lines[this.line];
    if (!line || !this.history.moments.length) return;
    const mark = line.kind === "marks" ? line.lane.marks.find((one) => one.time === this.now) : undefined;
    this.askAbout(line, mark?.text);
  }

  /** The chosen place in words, for those who do not see it. */
  spoken() {
    const line = this.lines[this.line];
    const time = this.history.shown(this.now);
    if (!line) return `at ${time}`;
    if (line.row) {
      const found = line.row.intervals.find((one) => one.since <= this.now && this.now <= (one.until ?? this.history.last));
      if (!found) return `${short(line.row.atom)} does not hold at ${time}`;
      return `${short(line.row.atom)} holds at ${time}, since ${this.history.shown(found.since)}`;
    }
    const marks = line.lane.marks.filter((mark) => mark.time === this.now).map((mark) => short(mark.text));
    return `${line.lane.name} at ${time}: ${marks.join(", ") || "nothing"}`;
  }

  /** Scroll so that a time point can be seen. @param {number} time */
  reveal(time) {
    const x = this.x(time);
    const room = this.body.clientWidth - this.labelWidth();
    if (x < this.body.scrollLeft + 20) this.body.scrollLeft = x - 60;
    else if (x > this.body.scrollLeft + room - 60) this.body.scrollLeft = x - room + 120;
    const line = this.lines[this.line];
    if (!line) return;
    if (line.top < this.body.scrollTop + AXIS) this.body.scrollTop = line.top - AXIS;
    else if (line.top + line.height > this.body.scrollTop + this.body.clientHeight) {
      this.body.scrollTop = line.top + line.height - this.body.clientHeight + 8;
    }
  }

  /** @param {PointerEvent} event */
  hover(event) {
    const found = this.at(event);
    if (!found?.line || found.beyond || !this.history.moments.length || event.pointerType === "touch") {
      this.hideTip();
      return;
    }
    const text = this.tipText(found.line, found.time);
    if (!text) {
      this.hideTip();
      return;
    }
    fill(this.tip, h("strong", {}, text[0]), h("span", {}, text[1]));
    this.tip.hidden = false;
    const box = this.tip.parentElement.getBoundingClientRect();
    const x = Math.min(event.clientX - box.left + 14, box.width - this.tip.offsetWidth - 8);
    this.tip.style.left = `${Math.max(4, x)}px`;
    this.tip.style.top = `${event.clientY - box.top + 16}px`;
  }

  /** @param {Line} line @param {number} time @returns {[string, string] | null} */
  tipText(line, time) {
    const shown = this.history.shown(time);
    if (line.row) {
      const { row } = line;
      const found = row.intervals.find((one) => one.since <= time && time <= (one.until ?? this.history.last));
      if (!found) return [short(row.atom), `does not hold at ${shown} · click: why not?`];
      const until = found.until === null ? "now" : this.history.shown(found.until);
      const some = found.certain ? "" : " in some answers";
      return [short(row.atom), `holds${some} from ${this.history.shown(found.since)} to ${until} · click: why?`];
    }
    if (line.kind === "marks") {
      const near = this.nearMark(line.lane, time);
      if (!near) return null;
      const together = line.lane.marks.filter((mark) => mark.time === near.time);
      return [together.slice(0, 6).map((mark) => short(mark.text)).join("  "), `data at ${this.history.shown(near.time)}`];
    }
    return null;
  }

  hideTip() {
    this.tip.hidden = true;
  }
}

/** Which curve is which, as far as their colours are different. @param {Line} line */
function legend(line) {
  if (line.kind !== "marks" || !isCurve(line.lane)) return null;
  const series = [...new Set(line.lane.marks.map((mark) => mark.series))];
  return series.length < 2 || series.length > CURVE_COLOURS ? null : h("span", { class: "legend" }, series.flatMap(
    (one, i) => [i ? " " : null, h("span", {}, h("i", { class: `s${i}` }), short(one.slice(one.indexOf("(") + 1)))]));
}

/** Stripes over what holds only in some answers. */
function pattern() {
  return s("defs", {}, s("pattern", { id: "hatched", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { class: "hatch", width: 2.5, height: 6 })));
}

/** Whether a lane has numbers to draw as curves. @param {Lane} lane */
function isCurve(lane) {
  return lane.arity > 0 && lane.marks.length > 0 && lane.marks.every((mark) => mark.number !== null);
}

/** The smallest of 1, 2, 5, 10, 20, … that is large enough. @param {number} least */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? 10 * power);
}
