// What is in the editors as part of the address: behind #, so that it is never sent to any server.

/** @typedef {{ language: string, program: string, stream: string, from: string, to: string, title?: string }} Draft */

const LONGEST = 30_000;
const KEY = "lasing draft";

/** @param {Draft} draft @returns {Promise<string | null>} the address, or null if it would be too long */
export async function addressOf(draft) {
  const packed = await piped(new TextEncoder().encode(JSON.stringify(draft)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return text.length > LONGEST ? null : `${location.origin}/#p=${text}`;
}

/** The draft in the address of this page, if there is one. @returns {Promise<Draft | null>} */
export async function draftInAddress() {
  const match = /^#p=([\w-]+)$/.exec(location.hash);
  if (!match) return null;
  try {
    const raw = atob(match[1].replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(raw, (character) => character.charCodeAt(0));
    return checked(JSON.parse(new TextDecoder().decode(await piped(bytes, new DecompressionStream("deflate-raw")))));
  } catch {
    return null;
  }
}

/** What this tab had before it was reloaded. @returns {Draft | null} */
export function keptDraft() {
  try {
    return checked(JSON.parse(sessionStorage.getItem(KEY) ?? "null"));
  } catch {
    return null;
  }
}

/** @param {Draft} draft */
export function keep(draft) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    sessionStorage.removeItem(KEY); // too large to keep; an old one would be wrong
  }
}

/** Only texts are taken from a draft, whoever made it. @param {any} given @returns {Draft | null} */
function checked(given) {
  if (given === null || typeof given !== "object") return null;
  const { language, program, stream, from = "", to = "", title = "" } = given;
  const texts = [language, program, stream, from, to, title];
  return texts.every((one) => typeof one === "string") ? { language, program, stream, from, to, title } : null;
}

/** @param {Uint8Array} bytes @param {any} stream */
async function piped(bytes, stream) {
  const packed = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
