// What the page asks the server, and what it is told.

/**
 * @typedef {object} Finding
 * @property {string} code
 * @property {string} severity
 * @property {string} message
 * @property {string} note
 * @property {string} [where]
 * @property {number} [line]
 * @property {number} [column]
 * @property {number} [length]
 */

const UNREACHABLE = {
  code: "", severity: "error", message: "The server does not answer.", note: "Is lasing serve still running?",
};

/**
 * Ask the server something. Whatever goes wrong is an answer with findings.
 * @param {string} path
 * @param {object} content
 * @returns {Promise<any>}
 */
export async function ask(path, content) {
  try {
    const response = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content),
    });
    return await response.json();
  } catch {
    return { findings: [UNREACHABLE], unreachable: true };
  }
}

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function get(path) {
  const response = await fetch(path);
  return response.json();
}

/** The run of this page: its session on the server, which exists once something is run. */
export class Session {
  /** @param {(name: string, content: any) => void} hear called with each event */
  constructor(hear) {
    this.hear = hear;
    this.id = "";
    /** @type {EventSource | null} */
    this.source = null;
  }

  /**
   * Ask the session something; without one, or when it has ended, a new one begins.
   * @param {object} content
   * @returns {Promise<any>}
   */
  async ask(content) {
    if (!this.id) {
      const opened = await ask("/api/sessions", {});
      if (!opened.session) return opened;
      this.id = opened.session;
      await this.listen();
    }
    const answer = await ask(`/api/sessions/${this.id}`, content);
    if (answer.findings?.some((/** @type {Finding} */ one) => one.code === "E784")) this.forget();
    return answer;
  }

  /** Listen to what happens, until the server says that this is a session of the past. */
  listen() {
    this.source = new EventSource(`/api/sessions/${this.id}/events`);
    for (const name of ["moments", "paused", "killed", "compiling"]) {
      this.source.addEventListener(name, (event) => this.hear(name, JSON.parse(/** @type {MessageEvent} */ (event).data)));
    }
    this.source.addEventListener("error", () => {
      if (this.source?.readyState === EventSource.CLOSED) this.forget();
    });
    return new Promise((resolve) => {
      this.source?.addEventListener("hello", resolve, { once: true });
      this.source?.addEventListener("error", resolve, { once: true });
    });
  }

  forget() {
    this.source?.close();
    this.id = "";
  }

  /** Tell the server that this page is gone; if that is not heard, it notices by itself. */
  leave() {
    if (!this.id) return;
    this.source?.close();
    void fetch(`/api/sessions/${this.id}/end`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: "{}", keepalive: true,
    });
    this.id = "";
  }
}
