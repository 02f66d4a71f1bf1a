// LARS for highlight.js: hljs.registerLanguage("lars", lars)
const tokens = [
  {
    "className": "comment",
    "begin": "%\\*",
    "end": "\\*%"
  },
  {
    "className": "comment",
    "begin": "%[^\\n]*"
  },
  {
    "className": "string",
    "begin": "\"(?:[^\"\\\\\\n]|\\\\[\"\\\\n])*\""
  },
  {
    "className": "link",
    "begin": "<[A-Za-z][A-Za-z0-9+.\\-]*:[^\\s<>\"{}|\\\\^`]*>"
  },
  {
    "className": "meta",
    "begin": "(?:#const|#include|#input|#maximize|#minimize|#prefix|#show|#stream|#tick)\\b"
  },
  {
    "className": "built_in",
    "begin": "(?:(?:#avg|#concat|#count|#first|#last|#max|#min|#now|#sum)\\b|@[a-z]\\w*)"
  },
  {
    "className": "keyword",
    "begin": "\\b(?:always|and|at|div|in|mod|not|or)\\b"
  },
  {
    "className": "number",
    "begin": "\\b[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?:\\s*(?:min|sec|ms|d|h|s)\\b)?"
  },
  {
    "className": "symbol",
    "begin": "_:[\\w.\\-]*\\w"
  },
  {
    "className": "variable",
    "begin": "\\b[A-Z_]\\w*"
  },
  {
    "className": "title",
    "begin": "\\b[a-z]\\w*(?=\\()"
  },
  {
    "className": "operator",
    "begin": ":\\-|:~|\\->|\\.\\.|<=|>=|!=|<|>|=|\\+|\\-|\\*|\\/|¬|∧|∨|→|←|≤|≥|≠|◇|□|⊞"
  }
];
export default function lars() {
  const window = { begin: "\\[", end: "\\]", contains: [{"className": "keyword", "begin": "\\b(?:by|full|step)\\b"}, ...tokens] };
  return { name: "LARS", aliases: ["lars"], contains: [window, ...tokens] };
}
