// Making elements. Text is always text: nothing here or anywhere else writes markup.

type Child = Node | string;

/** Attributes: `class`, `aria-*`, `title`, ...; false leaves one out, true sets it empty. */
export type Attributes = Record<string, string | number | boolean>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children); // strings become text nodes
  return element;
}

/** A button that does something; `label` is its text, or what a screen reader says of its sign. */
export function makeButton(label: string, act: () => void, options: { sign?: string; class?: string; title?: string } = {}): HTMLButtonElement {
  const button = make("button", { type: "button", class: options.class ?? false, title: options.title ?? false });
  if (options.sign === undefined) button.textContent = label;
  else {
    button.setAttribute("aria-label", label);
    button.append(make("span", { "aria-hidden": "true" }, options.sign));
    if (options.title === undefined) button.title = label;
  }
  button.addEventListener("click", act);
  return button;
}
