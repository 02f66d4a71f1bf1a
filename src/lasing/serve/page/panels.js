// What changed at a moment, and the rules with what they cost.

import { fill, h } from "./dom.js";
import { short } from "./history.js";

/** @typedef {import("./history.js").History} History */

const MOST_SHOWN = 60;

/**
 * What came in at a time point, what became true and false, and what holds.
 * @param {HTMLElement} place
 * @param {History} history
 * @param {number} time
 * @param {(atom: string, time: number) => void} ask
 */
export function showChanges(place, history, time, ask) {
  if (!history.moments.length) {
    fill(place, h("p", { class: "empty" }, "Nothing has happened yet. Press Play or Step."));
    return;
  }
  const moment = history.momentAt(time);
  const here = moment?.time === time ? moment : undefined;
  const holding = history.holding(time);
  const models = moment?.models;
  fill(
    place,
    h("p", { class: "changes-when" }, "At ", h("strong", {}, history.shown(time)),
      here ? null : `, as since ${history.shown(moment?.time ?? time)}`,
      models === undefined ? null : models === 1 ? " · one answer" : ` · ${models} answers`),
    h("div", { class: "changes" },
      group("Came in", "data", here?.facts.map((one) => one[1]) ?? [], here?.hidden?.facts ?? 0, time, ask),
      group("Now true", "added", here?.added.map((one) => one[1]) ?? [], here?.hidden?.atoms ?? 0, time, ask),
      group("No longer true", "removed", here?.removed.map((one) => one[1]) ?? [], 0, time, ask),
      group("Holds", "holds", holding, Math.max(0, time === history.last ? (moment?.holding ?? 0) - holding.length : 0), time, ask)),
  );
}

/**
 * @param {string} title
 * @param {string} kind
 * @param {string[]} atoms
 * @param {number} hidden
 * @param {number} time
 * @param {(atom: string, time: number) => void} ask
 */
function group(title, kind, atoms, hidden, time, ask) {
  const shown = atoms.slice(0, MOST_SHOWN);
  const more = atoms.length - shown.length + hidden;
  return h("section", { class: `changes-group ${kind}` },
    h("h3", {}, title, h("span", { class: "count" }, atoms.length + hidden)),
    shown.length ? h("ul", { class: "chips" }, shown.map((atom) => h("li", {}, h("button", {
      type: "button", class: `chip ${kind}`, title: atom, onclick: () => ask(atom, time),
    }, short(atom))))) : h("p", { class: "none" }, "nothing"),
    more > 0 ? h("p", { class: "none" }, `and ${more.toLocaleString("en")} more`) : null);
}

/**
 * The rules of a program, with the rows that each added and the time that it took.
 * @param {HTMLElement} place
 * @param {any} about
 * @param {any} figures
 * @param {Map<number, number>} rates rows a second, by rule
 * @param {(line: number | null, go: boolean) => void} line
 */
export function showRules(place, about, figures, rates, line) {
  if (!about) {
    fill(place, h("p", { class: "empty" }, "The rules are shown once the program has no mistakes."));
    return;
  }
  const measured = new Map((figures?.rules ?? []).map((/** @type {any} */ one) => [one.rule, one]));
  const longest = Math.max(1e-9, ...[...measured.values()].map((one) => one.seconds));
  const facts = [
    `runs on the ${about.engine} engine`, `looks back ${about.lookback}`,
    about.tick ? `a time point is ${about.tick}` : "time points are plain numbers",
    about.background ? `${about.background.toLocaleString("en")} background facts` : "",
    figures ? `${figures.facts.toLocaleString("en")} facts in ${milliseconds(figures.spent)}` : "",
  ].filter(Boolean);
  const rows = about.rules.map((/** @type {any} */ rule, /** @type {number} */ number) => {
    const found = measured.get(number);
    const where = rule.line ? h("button", {
      type: "button", class: "line-link", onclick: () => line(rule.line, true),
      onmouseenter: () => line(rule.line, false), onmouseleave: () => line(null, false),
    }, `line ${rule.line}`) : null;
    const bar = h("span", { class: "bar-back" }, h("span", { class: "bar-front" }));
    bar.firstElementChild.style.width = `${(100 * (found?.seconds ?? 0)) / longest}%`;
    return h("tr", {},
      h("td", { class: "rule-text" }, h("code", {}, short(rule.text)), h("div", { class: "rule-tags" }, where,
        h("span", {}, `stratum ${rule.stratum}`), rule.plane ? h("span", { title: planes(rule.plane) }, rule.plane) : null,
        h("span", {}, `looks back ${rule.lookback}`), rule.engine === "local" ? null : h("span", { title: rule.why }, rule.engine))),
      h("td", { class: "number" }, found ? found.rows.toLocaleString("en") : "–"),
      h("td", { class: "number" }, found ? rate(rates.get(number) ?? 0) : "–"),
      h("td", { class: "number" }, found ? milliseconds(found.seconds) : "–", found ? bar : null));
  });
  const held = (figures?.relations ?? []).filter((/** @type {any} */ one) => one.rows);
  fill(
    place,
    h("p", { class: "rules-about" }, facts.join(" · ")),
    h("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Rules" }, h("table", { class: "rules" },
      h("thead", {}, h("tr", {}, ["Rule", "Rows", "Rows/s", "Time"].map((name, i) => h(
        "th", { scope: "col", class: i ? "number" : "" }, name)))),
      h("tbody", {}, rows))),
    held.length ? h("details", { class: "held" }, h("summary", {}, `What the engine holds: ${
      held.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.rows, 0).toLocaleString("en")} rows`),
    h("ul", {}, held.map((/** @type {any} */ one) => h("li", {}, h("code", {}, one.name), ` ${one.rows.toLocaleString("en")}`)))) : null,
  );
}

/** @param {string} plane */
function planes(plane) {
  return plane === "guaranteed"
    ? "evaluated once for what is new; conclusions are never taken back"
    : "conclusions are counted, and taken back when what they rest on goes";
}

/** @param {number} number */
function rate(number) {
  return number < 10 ? number.toFixed(1) : Math.round(number).toLocaleString("en");
}

/** @param {number} seconds */
export function milliseconds(seconds) {
  if (seconds >= 1) return `${seconds.toFixed(2)} s`;
  return seconds >= 0.01 ? `${(1000 * seconds).toFixed(0)} ms` : `${(1000 * seconds).toFixed(2)} ms`;
}

/**
 * Mistakes and warnings as a list, each with a way to its place.
 * @param {HTMLElement} place
 * @param {import("./api.js").Finding[]} findings
 * @param {(one: import("./api.js").Finding) => void} goTo
 */
export function showFindings(place, findings, goTo) {
  fill(place, findings.map((one) => h("li", { class: one.severity },
    h("span", { class: "finding-kind" }, one.severity === "error" ? "Error" : "Warning", " ", h("code", {}, one.code)), " ",
    one.line !== undefined
      ? h("button", { type: "button", class: "line-link", onclick: () => goTo(one) }, `${one.where === "program" ? "" : `${one.where}, `}line ${one.line}`)
      : null, " ",
    h("span", { class: "finding-message" }, one.message),
    one.note ? h("span", { class: "finding-note" }, one.note) : null)));
  place.hidden = !findings.length;
}
