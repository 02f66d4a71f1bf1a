// The stream: typed or pasted, uploaded, generated, or one that the command line named.

import { ask } from "./api.js";
import { byId, fill, h, toast } from "./dom.js";
import { Editor } from "./editor.js";

const TEXT_TO_EDIT = 300_000;

export class StreamPanel {
  /**
   * @param {{ onChange: () => void, onRun: () => void, program: () => { text: string, language: string },
   *   limits: { stream: number }, named: string[] }} options
   */
  constructor(options) {
    this.options = options;
    /** @type {{ name: string, base64: string, size: number } | null} */
    this.upload = null;
    /** @type {number | null} */
    this.named = null;
    this.editor = new Editor(byId("stream-editor"), {
      label: "Stream: facts with their times", language: "facts", describedBy: "stream-findings",
      onInput: options.onChange, onRun: options.onRun,
    });
    byId("upload").addEventListener("click", () => byId("upload-file").click());
    byId("upload-file").addEventListener("change", (/** @type {any} */ event) => {
      if (event.target.files[0]) void this.take(event.target.files[0]);
      event.target.value = "";
    });
    const panel = byId("stream-panel");
    panel.addEventListener("dragover", (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      panel.classList.add("dropping");
    });
    panel.addEventListener("dragleave", () => panel.classList.remove("dropping"));
    panel.addEventListener("drop", (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      panel.classList.remove("dropping");
      const file = event.dataTransfer?.files[0];
      if (file) void this.take(file);
    });
    byId("generate").addEventListener("click", () => byId("generate-dialog").showModal());
    byId("generate-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.generate();
    });
    byId("generate-cancel").addEventListener("click", () => byId("generate-dialog").close());
    if (options.named.length) this.offerNamed();
    this.draw();
  }

  /** The streams that the command line named, to choose from. */
  offerNamed() {
    const choice = byId("stream-choice");
    fill(choice, h("option", { value: "" }, "Text below"), this.options.named.map(
      (name, i) => h("option", { value: i }, `${name} (replayed)`)));
    choice.parentElement.hidden = false;
    choice.addEventListener("change", () => this.choose(choice.value === "" ? null : Number(choice.value)));
  }

  /** @param {number | null} number */
  choose(number) {
    this.named = number;
    this.upload = null;
    byId("stream-choice").value = number === null ? "" : String(number);
    this.draw();
    this.options.onChange();
  }

  get text() {
    return this.editor.text;
  }

  set text(text) {
    this.upload = null;
    this.named = null;
    byId("stream-choice").value = "";
    this.editor.text = text;
    this.draw();
  }

  /** What the server is told about it. */
  content() {
    if (this.named !== null) return { kind: "named", number: this.named };
    if (this.upload) return { kind: "upload", name: this.upload.name, base64: this.upload.base64 };
    return { kind: "text", text: this.editor.text };
  }

  draw() {
    const file = this.upload;
    const named = this.named === null ? null : this.options.named[this.named];
    byId("stream-editor").hidden = Boolean(file) || named !== null;
    const place = byId("stream-file");
    place.hidden = !file && named === null;
    if (file) {
      fill(place, h("p", {}, h("strong", {}, file.name), ` · ${size(file.size)}, uploaded`),
        h("button", { type: "button", onclick: () => { this.upload = null; this.draw(); this.options.onChange(); } }, "Remove"));
    } else if (named !== null) {
      fill(place, h("p", {}, h("strong", {}, named), " · a file that the command line named, read as it is played"));
    }
  }

  /** @param {File} file */
  async take(file) {
    if (file.size > this.options.limits.stream) {
      toast(`${file.name} is larger than ${size(this.options.limits.stream)}. Name it on the command line instead.`);
      return;
    }
    if (/\.(facts|txt)$/i.test(file.name) && file.size < TEXT_TO_EDIT) {
      this.text = await file.text();
    } else {
      this.upload = { name: file.name.replace(/[^\w.-]/g, "_"), base64: await base64Of(file), size: file.size };
      this.named = null;
      this.draw();
    }
    toast(`${file.name} is the stream now.`);
    this.options.onChange();
  }

  async generate() {
    const form = byId("generate-form").elements;
    const answer = await ask("/api/ask", {
      do: "generate", ...this.options.program(), stream: this.content(), points: Number(form.points.value),
      rate: Number(form.rate.value), seed: Number(form.seed.value),
    });
    if (answer.text === undefined) {
      byId("generate-problem").textContent = answer.findings?.[0]?.message ?? "That did not work.";
      return;
    }
    byId("generate-problem").textContent = "";
    byId("generate-dialog").close();
    form.seed.value = String(Number(form.seed.value) + 1);
    this.text = answer.text;
    toast("A new stream is in the editor.");
    this.options.onChange();
  }
}

/** @param {File} file @returns {Promise<string>} */
function base64Of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** @param {number} bytes */
export function size(bytes) {
  for (const [unit, scale] of /** @type {const} */ ([["MB", 1e6], ["kB", 1e3]])) {
    if (bytes >= scale) return `${(bytes / scale).toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`;
  }
  return `${bytes} bytes`;
}
