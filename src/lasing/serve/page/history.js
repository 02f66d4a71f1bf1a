// What happened so far, in the form in which it is drawn: lanes of predicates, with marks for data and, for each
// derived atom, the intervals in which it holds.

/**
 * @typedef {[predicate: string, text: string, number: number | null]} Atom
 * @typedef {object} Moment
 * @property {number} time
 * @property {string} shown
 * @property {Atom[]} facts
 * @property {Atom[]} added
 * @property {Atom[]} removed
 * @property {number} holding
 * @property {{ facts: number, atoms: number }} [hidden]
 * @property {number} [models]
 * @property {string[]} [possible]
 *
 * @typedef {object} Mark
 * @property {number} time
 * @property {string} text
 * @property {number | null} number
 * @property {string} series
 *
 * @typedef {object} Interval
 * @property {number} since
 * @property {number | null} until the last time point at which it holds; null while it does
 * @property {boolean} certain whether it holds in every answer
 *
 * @typedef {object} Row
 * @property {string} atom
 * @property {string} predicate
 * @property {Interval[]} intervals
 *
 * @typedef {object} Lane
 * @property {string} name
 * @property {"data" | "derived"} kind
 * @property {number} arity
 * @property {string[]} columns
 * @property {Mark[]} marks
 * @property {Map<string, Row>} rows
 * @property {boolean} [quiet] no lane until there is a row
 */

const MOST_MOMENTS = 5_000;
const MOST_MARKS = 4_000;
const MOST_ROWS = 40;

export class History {
  constructor() {
    /** @type {Lane[]} */
    this.lanes = [];
    /** @type {Moment[]} */
    this.moments = [];
    this.first = 0;
    this.last = 0;
    this.dropped = 0;
  }

  /**
   * Begin again, with lanes for the predicates that a program has.
   * @param {Array<{ name: string, kind: "data" | "derived", arity: number, columns: string[] }>} predicates
   * @param {number} first
   */
  begin(predicates, first) {
    this.lanes = predicates.map((one) => ({ ...one, marks: [], rows: new Map() }));
    this.moments = [];
    this.first = first;
    this.last = first;
    this.dropped = 0;
  }

  /** @param {Moment} moment */
  add(moment) {
    if (!this.moments.length) this.first = Math.min(this.first, moment.time);
    this.last = Math.max(this.last, moment.time);
    const before = this.moments[this.moments.length - 1];
    if (before?.time === moment.time) merge(before, moment);
    else this.moments.push(moment);
    const possible = new Set(moment.possible ?? []);
    for (const [predicate, text, number] of moment.facts) {
      const lane = this.lane(predicate, "data");
      lane.marks.push({ time: moment.time, text, number, series: seriesOf(text) });
      if (lane.marks.length > MOST_MARKS) lane.marks.shift();
    }
    for (const [predicate, text] of moment.removed) this.end(predicate, text, moment.time - 1);
    for (const [predicate, text] of moment.added) this.start(predicate, text, moment.time, !possible.has(text));
    if (moment.possible) this.requalify(moment.time, possible);
    if (this.moments.length > MOST_MOMENTS) {
      this.moments.shift();
      this.dropped += 1;
      this.first = this.moments[0].time;
    }
  }

  /** @param {string} name @param {"data" | "derived"} kind */
  lane(name, kind) {
    const known = this.lanes.find((one) => one.name === name && one.kind === kind);
    if (known) return known;
    /** @type {Lane} */
    const made = { name, kind, arity: 0, columns: [], marks: [], rows: new Map() };
    const place = kind === "data" ? this.lanes.findIndex((one) => one.kind === "derived") : -1;
    if (place < 0) this.lanes.push(made);
    else this.lanes.splice(place, 0, made);
    return made;
  }

  /** @param {string} predicate @param {string} text @param {number} time @param {boolean} certain */
  start(predicate, text, time, certain) {
    const rows = this.lane(predicate, "derived").rows;
    let row = rows.get(text);
    if (!row) {
      row = { atom: text, predicate, intervals: [] };
      rows.set(text, row);
      if (rows.size > MOST_ROWS) forgetOne(rows);
    }
    row.intervals.push({ since: time, until: null, certain });
  }

  /** @param {string} predicate @param {string} text @param {number} until */
  end(predicate, text, until) {
    const open = this.lane(predicate, "derived").rows.get(text)?.intervals.at(-1);
    if (open && open.until === null) open.until = Math.max(until, open.since);
  }

  /** With several answers, what holds in all of them can become uncertain, and the other way round. */
  requalify(/** @type {number} */ time, /** @type {Set<string>} */ possible) {
    for (const lane of this.lanes) {
      for (const row of lane.rows.values()) {
        const open = row.intervals.at(-1);
        if (!open || open.until !== null || open.certain === !possible.has(row.atom)) continue;
        if (open.since === time) open.certain = !open.certain;
        else {
          open.until = time - 1;
          row.intervals.push({ since: time, until: null, certain: !open.certain });
        }
      }
    }
  }

  /** Whether an atom holds at a time point, as far as the page knows. @param {string} atom @param {number} time */
  holds(atom, time) {
    return this.intervalAt(atom, time) !== undefined;
  }

  /** @param {string} atom @param {number} time */
  intervalAt(atom, time) {
    for (const lane of this.lanes) {
      const found = lane.rows.get(atom)?.intervals.find((one) => one.since <= time && time <= (one.until ?? this.last));
      if (found) return found;
    }
    return undefined;
  }

  /** The atoms that hold at a time point. @param {number} time */
  holding(time) {
    return this.lanes.flatMap((lane) => [...lane.rows.values()].filter((row) => row.intervals.some(
      (one) => one.since <= time && time <= (one.until ?? this.last),
    )).map((row) => row.atom));
  }

  /** The moment at a time point, or the last one before it. @param {number} time */
  momentAt(time) {
    let low = 0;
    let high = this.moments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.moments[middle].time <= time) low = middle + 1;
      else high = middle;
    }
    return this.moments[low - 1];
  }

  /** A time point in the way of the program: a number, or a date. @param {number} time */
  shown(time) {
    const moment = this.momentAt(time);
    if (moment?.time === time) return moment.shown;
    const date = this.dateOf(time);
    return date === null ? String(time) : date.toISOString().replace(/\.000Z$/, "Z");
  }

  /** The date of a time point, from those of two moments; null if times are numbers. @param {number} time */
  dateOf(time) {
    const [a, b] = [this.moments[0], this.moments.at(-1)];
    if (!a || !b || !/^\d{4}-/.test(a.shown)) return null;
    const begin = Date.parse(a.shown);
    const length = a === b ? 0 : (Date.parse(b.shown) - begin) / (b.time - a.time);
    const found = begin + (time - a.time) * length;
    return Number.isFinite(found) ? new Date(found) : null;
  }
}

/** Two moments at the same time point are one. @param {Moment} into @param {Moment} more */
function merge(into, more) {
  into.facts.push(...more.facts);
  into.added.push(...more.added);
  into.removed.push(...more.removed);
  into.holding = more.holding;
}

/** The first row that does not hold now makes room, or else the oldest. @param {Map<string, Row>} rows */
function forgetOne(rows) {
  for (const [name, row] of rows) {
    if (row.intervals.at(-1)?.until !== null) {
      rows.delete(name);
      return;
    }
  }
  const oldest = rows.keys().next().value;
  if (oldest !== undefined) rows.delete(oldest);
}

/** An atom without its last argument: readings of one sensor are one curve. @param {string} text */
function seriesOf(text) {
  const comma = text.lastIndexOf(",");
  return comma < 0 ? "" : text.slice(0, comma);
}

/**
 * A text with shorter IRIs, for labels.
 * @param {string} text
 */
export function short(text) {
  return blanks(text.replace(/<[^<>\s]*[/#]([^<>\s/#]+)[/#]?>/g, ":$1"));
}

/**
 * A text with made-up nodes as blank nodes: `_:fire_12` for `new(blank,fire,1,1,12,…)`. It has the numbers in it, because
 * they tell such nodes apart.
 * @param {string} text
 */
function blanks(text) {
  return text.replace(/new\(blank,(\w+)((?:,[^,()]*)*)\)/g, (_, name, rest) => {
    const number = rest.split(",").filter((/** @type {string} */ one) => /^\d+$/.test(one)).at(-1);
    return `_:${name}${number === undefined ? "" : `_${number}`}`;
  });
}

/**
 * The arguments of an atom, for the label of a row below the name of its predicate.
 * @param {string} atom
 */
export function argumentsOf(atom) {
  const open = atom.indexOf("(");
  return open < 0 ? atom : short(atom.slice(open + 1, -1)).replaceAll(",", ", ");
}
