// How each language is coloured: a list of what can begin at a place, the first that fits is taken.

/** @typedef {[kind: string, pattern: RegExp]} Token */

const NUMBER = /-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b/y;
const STRING = /"(?:[^"\\\n]|\\.)*"?/y;
const QUOTED = /'(?:[^'\n]|'')*'?/y;
const IRI = /<[^<>\s"]*>/y;
const VARIABLE = /\b[A-Z_]\w*/y;

/** @param {string} words */
const anyOf = (words) => new RegExp(`\\b(?:${words.trim().split(/\s+/).join("|")})\\b`, "iy");

/** @type {Record<string, Token[]>} */
const RULES = {
  lars: [
    ["comment", /%\*[^]*?(?:\*%|$)|%[^\n]*/y],
    ["string", STRING],
    ["iri", IRI],
    ["keyword", /#[a-z]+\b|@[a-z]\w*/y],
    ["operator", /:-|:~|<=|>=|!=|->/y],
    ["keyword", /\b(?:not|in|at|always|or|and|step|by|full|div|mod|from|to)\b/y],
    ["number", /-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?:\s*(?:ms|sec|s|min|h|d)\b)?/y],
    ["variable", VARIABLE],
    ["predicate", /\b[a-z]\w*(?=\s*\()/y],
    ["name", /\b[a-z]\w*/y],
  ],
  sparql: [
    ["comment", /#[^\n]*/y],
    ["string", STRING],
    ["string", QUOTED],
    ["iri", IRI],
    ["variable", /[?$]\w+/y],
    ["name", /\b[\w-]*:[\w.-]*\w|\b[\w-]+:|:[\w.-]*\w/y],
    ["keyword", anyOf(`select construct ask describe where from named window on range step prefix base register as rstream
      istream dstream stream query filter optional union minus bind values group by having order limit offset distinct
      reduced count sum avg min max sample group_concat graph exists not in asc desc exists compute every triples slide
      tumbling define and or last first each within between consuming with a`)],
    ["number", NUMBER],
  ],
  tesla: [
    ["comment", /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y],
    ["string", STRING],
    ["variable", /\$\w+/y],
    ["keyword", anyOf(`event define from and or not each last first within between consuming with as where string int
      float bool true false sec min hour day`)],
    ["number", NUMBER],
    ["predicate", /\b[A-Z]\w*/y],
  ],
  etalis: [
    ["comment", /%[^\n]*/y],
    ["string", STRING],
    ["operator", /<-|:-/y],
    ["keyword", /\b(?:SEQ|AND|PAR|OR|EQUALS|MEETS|STARTS|FINISHES|DURING|NOT|WHERE|event|tick|encoding|string|int|float|bool)\b/y],
    ["number", NUMBER],
    ["variable", VARIABLE],
    ["predicate", /\b[a-z]\w*(?=\s*\()/y],
    ["name", /\b[a-z]\w*/y],
  ],
  cql: [
    ["comment", /--[^\n]*|\/\*[^]*?(?:\*\/|$)/y],
    ["string", QUOTED],
    ["string", STRING],
    ["keyword", anyOf(`create stream table view as select distinct from where group by having order limit offset join left
      right full outer inner cross natural using on and or not in exists between like is null case when then else end
      union all intersect except insert into values with recursive istream dstream rstream range slide rows partition now
      unbounded time asc desc count sum avg min max varchar double bigint integer boolean timestamp decimal interval
      minutes minute seconds second hours hour days day true false derived`)],
    ["number", NUMBER],
  ],
};
RULES.dotr = RULES.sparql;
RULES.facts = RULES.lars;

/**
 * A text in pieces, each with its kind; the kind of what has none is empty.
 * @param {string} text
 * @param {string} language
 * @returns {Array<[kind: string, text: string]>}
 */
export function pieces(text, language) {
  const rules = RULES[language] ?? [];
  /** @type {Array<[string, string]>} */
  const found = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const [kind, piece] = next(rules, text, at);
    if (kind) {
      if (plain) found.push(["", plain]);
      plain = "";
      found.push([kind, piece]);
    } else {
      plain += piece;
    }
    at += piece.length;
  }
  if (plain) found.push(["", plain]);
  return found;
}

/** @param {Token[]} rules @param {string} text @param {number} at @returns {[string, string]} */
function next(rules, text, at) {
  for (const [kind, pattern] of rules) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match && match[0]) return [kind, match[0]];
  }
  // A whole word at once, so that a keyword inside a longer word is not taken for one.
  const word = /[^\W_]\w*|[^]/uy;
  word.lastIndex = at;
  return ["", word.exec(text)?.[0] ?? text[at]];
}
