// On a narrow screen the panels lie below the map: a button makes them high, and the map low.

import { make } from "../dom";

export function mountSheet(side: HTMLElement): void {
  const button = make("button", { type: "button", class: "sheet-button", "aria-pressed": "false", "aria-label": "More room for the panels" }, make("span", { "aria-hidden": "true" }, "⌃"));
  button.addEventListener("click", () => {
    const high = side.classList.toggle("high");
    button.setAttribute("aria-pressed", String(high));
  });
  side.append(button);
}
