// The signs on buttons, as outlines: no font has to have them.

const OUTLINES = {
  play: "M8 5v14l11-7z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  forward: "M6 5l8.5 7L6 19zM15.5 5H18v14h-2.5z",
  back: "M18 5l-8.5 7L18 19zM8.5 5H6v14h2.5z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  minus: "M5 11h14v2H5z",
  whole: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  follow: "M12 3v3.1a6 6 0 0 1 4.9 4.9H21v2h-4.1A6 6 0 0 1 13 17.9V21h-2v-3.1A6 6 0 0 1 7.1 13H3v-2h4.1A6 6 0 0 1 11 6.1V3zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm0 2.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z",
};
export type Icon = keyof typeof OUTLINES;

const SVG = "http://www.w3.org/2000/svg";

export function makeIcon(name: Icon): SVGElement {
  const icon = document.createElementNS(SVG, "svg");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("aria-hidden", "true");
  icon.setAttribute("class", "icon");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", OUTLINES[name]);
  icon.append(path);
  return icon;
}

/** A button with a sign; `label` is what it says to those who do not see it, and its tooltip. */
export function makeIconButton(icon: Icon, label: string, act: () => void, style = "round"): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = style;
  button.title = label;
  button.setAttribute("aria-label", label);
  button.append(makeIcon(icon));
  button.addEventListener("click", act);
  return button;
}
