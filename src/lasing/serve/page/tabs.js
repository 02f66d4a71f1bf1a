// Tabs, as the authoring practices of ARIA describe them: arrows move between them, and show what they stand for.

/**
 * Make the buttons of a list of tabs work.
 * @param {HTMLElement} list
 * @param {(name: string) => void} [onShow]
 * @returns {(name: string) => void} shows a tab
 */
export function tabs(list, onShow = () => {}) {
  const buttons = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[role=tab]")]);

  /** @param {HTMLElement} chosen */
  function show(chosen) {
    for (const one of buttons) {
      const is = one === chosen;
      one.setAttribute("aria-selected", String(is));
      one.tabIndex = is ? 0 : -1;
      const panel = document.getElementById(one.getAttribute("aria-controls") ?? "");
      if (panel) panel.classList.toggle("away", !is);
    }
    onShow(chosen.dataset.tab ?? "");
  }

  list.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("[role=tab]");
    if (button) show(/** @type {HTMLElement} */ (button));
  });
  list.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const next = buttons[(to + buttons.length) % buttons.length];
    next.focus();
    show(next);
  });
  show(buttons.find((one) => one.getAttribute("aria-selected") === "true") ?? buttons[0]);
  return (name) => {
    const found = buttons.find((one) => one.dataset.tab === name);
    if (found) show(found);
  };
}
