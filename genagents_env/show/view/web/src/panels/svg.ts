// Making elements of pictures; text in them is text, as in `dom.ts`.

import type { Attributes } from "../dom";

const NAMESPACE = "http://www.w3.org/2000/svg";

export function draw<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}
