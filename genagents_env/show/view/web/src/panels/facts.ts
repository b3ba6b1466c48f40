// The facts: who knows each as the clock stands, and the tree of who told whom.

import { make } from "../dom";
import type { Tick } from "../protocol";
import type { Context } from "./context";
import { Curve } from "./curve";
import { count, makeSwatch, note } from "./parts";
import { FactTree } from "./fact_tree";

export function mountFacts(element: HTMLElement, context: Context): void {
  const facts = context.head.facts;
  if (facts.length === 0) {
    element.append(note("No facts are followed in this scenario."));
    return;
  }
  element.append(make("p", { class: "lead" }, "What can go round in this town. Choose a fact: those who know it are lit on the map, and the tree shows who told whom."));
  const cards = facts.map((_, fact) => new FactCard(context, fact));
  const around = make("div", { class: "cards" });
  const unknown = make("div", { class: "cards" });
  const unknownCount = make("span");
  const rest = make("details", { class: "fold" }, make("summary", {}, unknownCount), unknown);
  element.append(around, rest);
  let chosen = -1;
  let arranged = "";
  const arrange = (): void => {
    const known = cards.map((card) => context.hearings.of(card.fact).length > 0);
    if (known.join() === arranged) return;
    arranged = known.join();
    around.replaceChildren(...cards.filter((card) => known[card.fact]).map((card) => card.element));
    unknown.replaceChildren(...cards.filter((card) => !known[card.fact]).map((card) => card.element));
    rest.hidden = unknown.childElementCount === 0;
    unknownCount.textContent = `${count(unknown.childElementCount, "fact")} that nobody here knows or hears of${context.head.live ? ", so far" : ""}`;
  };
  context.keep(
    element,
    (tick) => {
      const { fact } = context.store.get();
      arrange();
      if (fact !== chosen && unknown.contains(cards[fact]?.element ?? null)) rest.open = true;
      for (const card of cards) card.show(tick, card.fact === fact);
      if (fact !== chosen) cards[fact]?.element.scrollIntoView({ block: "nearest" });
      chosen = fact;
    },
    ["fact"],
  );
}

class FactCard {
  readonly element: HTMLElement;
  private readonly button: HTMLButtonElement;
  private readonly counted = make("span", { class: "fact-count" });
  private readonly told = make("span", { class: "fact-told" });
  private readonly curve: Curve;
  private readonly place = make("div", { class: "fact-tree-place" });
  private tree: FactTree | null = null;
  private drawn = "";

  constructor(
    private readonly context: Context,
    readonly fact: number,
  ) {
    const { color, text } = context.fact(fact);
    this.curve = new Curve({ width: 84, height: 28, color, label: `How many know of ${context.factName(fact)} over time` });
    this.button = make(
      "button",
      { type: "button", class: "fact-button", "aria-expanded": "false" },
      make("span", { class: "fact-title" }, makeSwatch(context, fact), context.factName(fact)),
      make("span", { class: "fact-text" }, text),
      make("span", { class: "fact-numbers" }, this.counted, this.curve.element, this.told),
    );
    this.button.addEventListener("click", () => context.store.set({ fact: context.store.get().fact === fact ? -1 : fact }));
    this.element = make("section", { class: "fact-card", "aria-label": `Fact: ${context.factName(fact)}` }, this.button, this.place);
    this.element.style.setProperty("--fact", color);
  }

  show(tick: Tick, chosen: boolean): void {
    const { context, fact } = this;
    const { hearings } = context;
    const people = context.head.people.length;
    const knowing = hearings.count(fact, tick);
    setText(this.counted, `${knowing} of ${people} know it`);
    const tellings = hearings.tellings(fact, tick);
    setText(this.told, tellings === 0 ? "not told yet" : `told ${tellings === 1 ? "once" : tellings === 2 ? "twice" : `${tellings} times`}`);
    this.showCurve(tick, people);
    this.element.classList.toggle("chosen", chosen);
    this.button.setAttribute("aria-expanded", String(chosen));
    if (chosen && this.tree === null) {
      this.tree = new FactTree(context, fact);
      this.place.replaceChildren(this.tree.element);
    } else if (!chosen && this.tree !== null) {
      this.tree.close();
      this.tree = null;
      this.place.replaceChildren();
    }
    this.tree?.show(tick);
  }

  private showCurve(tick: Tick, people: number): void {
    const known = this.context.hearings.of(this.fact);
    const last = Math.max(1, this.context.replay.recording.lastTick);
    const state = `${known.length} ${last}`;
    if (state === this.drawn) this.curve.moveHand(tick, last);
    else this.curve.show(known.map((hearing, i) => [hearing.tick, i + 1] as const), last, people, tick);
    this.drawn = state;
    this.curve.element.setAttribute("aria-label", `${count(known.length, "person").replace("persons", "people")} of ${people} know of ${this.context.factName(this.fact)} at the end`);
  }
}

function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
