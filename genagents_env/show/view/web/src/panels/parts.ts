// The small things that all panels are made of: people, facts, times, notes, lists that grow.

import { letterColor } from "../colors";
import { make } from "../dom";
import type { AgentIndex, EventId, Tick } from "../protocol";
import type { Context } from "./context";

type Child = Node | string;

/** A disc with initials in the colour of the person; decoration beside a name. */
export function makeAvatar(context: Context, agent: AgentIndex): HTMLElement {
  const person = context.person(agent);
  const disc = make("span", { class: "avatar", "aria-hidden": "true" }, person?.initials ?? "?");
  if (person === undefined) return disc;
  disc.style.setProperty("--person", person.color);
  disc.style.setProperty("--on-person", letterColor(person.color));
  return disc;
}

/** A name that leads to its person. */
export function linkPerson(context: Context, agent: AgentIndex, options: { avatar?: boolean; full?: boolean } = {}): HTMLElement {
  const name = options.full === true ? context.name(agent) : context.firstName(agent);
  if (agent < 0) return make("span", {}, name);
  const button = make("button", { type: "button", class: "link person-link", title: context.name(agent) });
  if (options.avatar === true) button.append(makeAvatar(context, agent));
  button.append(name);
  button.addEventListener("click", () => context.openPerson(agent));
  return button;
}

/** Several people, divided by commas. */
export function linkPeople(context: Context, people: AgentIndex[]): Node[] {
  return people.flatMap((agent, i) => [...(i > 0 ? [document.createTextNode(", ")] : []), linkPerson(context, agent)]);
}

/** A time that leads there. */
export function linkTime(context: Context, tick: Tick, what = "", text = context.when(tick)): HTMLElement {
  if (tick < 0) return make("span", { class: "time" }, text);
  const label = what === "" ? `Go to ${text}` : `${text}: go to ${what}`;
  const button = make("button", { type: "button", class: "time", "aria-label": label, title: context.replay.calendar.moment(tick) }, text);
  button.addEventListener("click", () => context.seek(tick));
  return button;
}

/** A fact's name beside its colour, which leads to it. */
export function linkFact(context: Context, fact: number): HTMLElement {
  const button = make("button", { type: "button", class: "fact-chip", title: context.fact(fact).text });
  button.append(makeSwatch(context, fact), context.factName(fact));
  button.addEventListener("click", () => context.openFact(fact));
  return button;
}

export function makeSwatch(context: Context, fact: number): HTMLElement {
  const swatch = make("span", { class: "swatch", "aria-hidden": "true" });
  swatch.style.setProperty("--fact", context.fact(fact).color);
  return swatch;
}

/** "why?" of an utterance or act. */
export function askWhy(context: Context, event: EventId, what: string): HTMLElement {
  const button = make("button", { type: "button", class: "ask-why", "aria-label": `Why? ${what}` }, "why?");
  button.addEventListener("click", () => context.openWhy(event));
  return button;
}

/** Says that there is nothing, and why. */
export function note(...children: Child[]): HTMLElement {
  return make("p", { class: "note" }, ...children);
}

export function makeHeading(level: 2 | 3 | 4, text: string, ...more: Child[]): HTMLElement {
  return make(`h${level}`, {}, text, ...more);
}

/** What is folded until it is opened; its content is made then. */
export function fold(summary: Child[], fill: (body: HTMLElement) => void, options: { open?: boolean; class?: string } = {}): HTMLDetailsElement {
  const body = make("div", { class: "fold-body" });
  const details = make("details", { class: options.class ?? "fold" }, make("summary", {}, ...summary), body);
  let filled = false;
  const open = (): void => {
    if (filled || !details.open) return;
    filled = true;
    fill(body);
  };
  details.addEventListener("toggle", open);
  if (options.open === true) {
    details.open = true;
    open();
  }
  return details;
}

/** A list that shows some of its rows, and more when asked; rows are made once and kept by key. */
export class PagedList<T> {
  readonly element: HTMLElement;
  private readonly list: HTMLElement;
  private readonly more = make("button", { type: "button", class: "more" });
  private readonly rows = new Map<string, HTMLElement>();
  private items: readonly T[] = [];
  private shown = "";
  private limit: number;

  constructor(
    private readonly key: (item: T) => string,
    private readonly row: (item: T) => HTMLElement,
    private readonly page = 40,
    label = "",
  ) {
    this.limit = page;
    this.list = make("ul", { class: "rows", role: "list", "aria-label": label === "" ? false : label });
    this.element = make("div", { class: "paged" }, this.list, this.more);
    this.more.addEventListener("click", () => {
      this.limit += this.page;
      this.show(this.items);
    });
  }

  /** Shows these items; touches nothing where they are the same. */
  show(items: readonly T[]): void {
    this.items = items;
    const keys = items.slice(0, this.limit).map(this.key);
    const left = items.length - keys.length;
    const now = `${keys.join("\n")} ${left}`;
    if (now === this.shown) return;
    this.shown = now;
    this.list.replaceChildren(
      ...keys.map((key, i) => {
        const held = this.rows.get(key);
        if (held !== undefined) return held;
        const made = make("li", {}, this.row(items[i] as T));
        this.rows.set(key, made);
        return made;
      }),
    );
    this.more.hidden = left === 0;
    this.more.textContent = `Show ${Math.min(left, this.page)} more of ${left}`;
  }

  /** Shows as many as needed to show this one, and returns its row. */
  reveal(key: string): HTMLElement | undefined {
    const at = this.items.findIndex((item) => this.key(item) === key);
    if (at >= this.limit) {
      this.limit = at + 1;
      this.show(this.items);
    }
    return this.rows.get(key);
  }
}

export { letterColor };

/** "1 call", "2 calls". */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
