// Why something holds, or why it does not: the tree of an explanation, whose facts can be clicked in turn.

import { fill, h } from "./dom.js";
import { short } from "./history.js";

/**
 * @typedef {{ line: string, details: string[], below: Branch[] }} Branch
 * @typedef {{ holds: boolean, tree: Branch, uses: Array<{ atom: string, time: number }>, findings?: any[] }} Explanation
 * @typedef {{ goTo: (time: number) => void, ask: (atom: string, time: number) => void, line: (line: number) => void,
 *   shown: (time: number) => string }} Actions
 */

const SIGNS = { "✓": "holds", "✗": "fails", "?": "not looked at" };

/**
 * Show an explanation, or why there is none.
 * @param {HTMLElement} place
 * @param {string} atom
 * @param {number} time
 * @param {Explanation | { findings: any[] }} answer
 * @param {Actions} actions
 */
export function showWhy(place, atom, time, answer, actions) {
  if (!("tree" in answer)) {
    fill(place, (answer.findings ?? []).map((one) => h(
      "p", { class: "why-none" }, h("strong", {}, one.message), one.note ? h("span", {}, ` — ${one.note}`) : null,
    )));
    return;
  }
  const { name, words } = parts(answer.tree.line, answer.holds, actions.shown(time), atom);
  const times = new Map(answer.uses.map((one) => [`${one.atom} at ${actions.shown(one.time)}`, one]));
  fill(
    place,
    heading(name, time, answer.holds, actions),
    words ? h("p", { class: "why-words" }, words) : null,
    h("ul", { class: "why-tree" }, branch(answer.tree, times, actions, true)),
  );
}

/**
 * The first line of an explanation: what it is about, in the words of its language, and what a comment says about it.
 * @param {string} line
 * @param {boolean} holds
 * @param {string} shown the time
 * @param {string} atom what was asked
 */
function parts(line, holds, shown, atom) {
  const when = holds ? ` at ${shown}` : " does not hold at ";
  const place = line.lastIndexOf(when);
  if (place < 0) return { name: atom, words: "" };
  const rest = line.slice(place + when.length);
  return { name: line.slice(0, place), words: holds && rest.startsWith(": ") ? rest.slice(2) : "" };
}

/** @param {string} atom @param {number} time @param {boolean} holds @param {Actions} actions */
function heading(atom, time, holds, actions) {
  return h("h3", { class: "why-heading", tabindex: "-1" },
    h("span", { class: `verdict ${holds ? "yes" : "no"}`, "aria-hidden": "true" }, holds ? "✓" : "✗"),
    h("code", {}, short(atom)), ` ${holds ? "holds" : "does not hold"} at `, h("button", { type: "button", class: "time-link", onclick: () => actions.goTo(time) },
      actions.shown(time)));
}

/** @param {Branch} one @param {Map<string, any>} times @param {Actions} actions @param {boolean} [first] */
function branch(one, times, actions, first = false) {
  const sign = one.line[0] in SIGNS && one.line[1] === " " ? one.line[0] : ""; // and no variable, as in `?v > 30`
  const text = sign ? one.line.slice(2) : one.line;
  const details = one.details.map((detail) => h("div", { class: "why-detail" }, linked(detail, actions)));
  const line = h("div", { class: "why-line" },
    sign ? h("span", { class: `why-sign ${SIGNS[/** @type {keyof typeof SIGNS} */ (sign)].replaceAll(" ", "-")}` },
      h("span", { "aria-hidden": "true" }, sign), h("span", { class: "unseen" }, SIGNS[/** @type {keyof typeof SIGNS} */ (sign)])) : null,
    said(text, times, actions));
  const below = one.below.length ? h("ul", {}, one.below.map((child) => branch(child, times, actions))) : null;
  if (first || !below) return h("li", { class: first ? "first" : "" }, first ? null : line, details, below);
  return h("li", {}, h("details", { open: true }, h("summary", {}, line), details, below));
}

/** A line in which an atom with its time can be clicked. @param {string} text @param {Map<string, any>} times @param {Actions} actions */
function said(text, times, actions) {
  for (const [known, fact] of times) {
    if (text !== known && !text.startsWith(`${known} `) && !text.startsWith(`${known}:`) && !text.startsWith(`${known},`)) continue;
    const rest = text.slice(known.length);
    return [
      h("button", { type: "button", class: "atom-link", onclick: () => actions.ask(fact.atom, fact.time) }, short(known)),
      h("span", { class: "why-rest" }, short(rest)),
    ];
  }
  return linked(short(text), actions);
}

/** A text in which the place of a rule leads to its line. @param {string} text @param {Actions} actions */
function linked(text, actions) {
  const match = /\s*\[(?:program|page):(\d+):\d+\]\s*/.exec(text);
  if (!match) return short(text);
  const line = Number(match[1]);
  return [
    short(text.slice(0, match.index)), " ",
    h("button", { type: "button", class: "line-link", onclick: () => actions.line(line) }, `line ${line}`), " ",
    short(text.slice(match.index + match[0].length)),
  ];
}
