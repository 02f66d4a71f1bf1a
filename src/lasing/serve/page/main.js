// Where the page begins.

import { get } from "./api.js";
import { Attached } from "./attached.js";
import { byId } from "./dom.js";
import { Playground } from "./playground.js";

const about = await get("/api/about");
byId("version").textContent = about.version;
if (about.attached) {
  document.body.dataset.mode = about.attached.kind;
  new Attached(about.attached).begin();
} else {
  await new Playground(about).begin();
}
document.body.dataset.ready = "true";
