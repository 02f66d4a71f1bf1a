// Elements from data. Nothing on this page is made from strings of HTML: the content security policy would refuse it,
// and so texts of users are always texts.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, any>} Properties
 */

/**
 * An HTML element. Properties that begin with `on` are listeners; `class`, `data-…`, `aria-…` and the like attributes.
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/**
 * An SVG element.
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function s(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

/** @param {any} element @param {Properties} properties @param {any[]} children */
function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, String(value));
  }
  append(element, children);
  return element;
}

/** @param {Element} element @param {any[]} children */
function append(element, children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * The same element with other children.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * The element with this id, which the page has.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * Call a function once things have been quiet for a while.
 * @param {() => void} call
 * @param {number} milliseconds
 * @returns {() => void}
 */
export function debounced(call, milliseconds) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(call, milliseconds);
  };
}

let saying = 0;

/**
 * Say something to those who listen to the page, and show it for a moment to those who look at it.
 * @param {string} text
 */
export function toast(text) {
  const place = byId("toast");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(saying);
  saying = window.setTimeout(() => {
    place.hidden = true;
  }, 5000);
}
