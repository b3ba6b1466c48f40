// The tree of who told whom a fact, growing with the clock: a picture, the words of one telling, a list.

import { make } from "../dom";
import type { EventId, Tick } from "../protocol";
import type { Context } from "./context";
import { describeSpread } from "./fact_summary";
import type { Hearing, Telling } from "./hearings";
import { askWhy, fold, letterColor, linkPeople, linkPerson, linkTime, note } from "./parts";
import { describeEvent } from "./sentences";
import { draw } from "./svg";

const ROW = 44; // pixels from one person to the next
const RADIUS = 13;
const LETTER = 6.3; // pixels of a letter of the small line, at most

interface Row {
  node: Telling;
  parent: number; // index of the row of whoever told it; -1
  group: SVGGElement;
  edge: SVGPathElement | null;
}

export class FactTree {
  readonly element: HTMLElement;
  private rows: Row[] = [];
  private drawn = "";
  private width = 0;
  private chosen: Hearing | null = null;
  private readonly summary = make("p", { class: "tree-summary" });
  private readonly picture = make("div", { class: "tree-picture" });
  private readonly words = make("div", { class: "tree-words", "aria-live": "polite" });
  private readonly others = make("p", { class: "tree-others" });
  private readonly list = make("div");
  private readonly watcher: ResizeObserver;

  constructor(
    private readonly context: Context,
    private readonly fact: number,
  ) {
    const asList = fold(["The same as a list"], (body) => body.append(this.list), { class: "fold tree-list" });
    this.element = make("div", { class: "fact-tree" }, this.summary, this.picture, this.words, this.others, asList);
    this.watcher = new ResizeObserver(() => {
      if (Math.abs(this.picture.clientWidth - this.width) > 8) this.redraw(context.tick);
    });
    this.watcher.observe(this.picture);
  }

  close(): void {
    this.watcher.disconnect();
  }

  show(tick: Tick): void {
    const known = this.context.hearings.of(this.fact);
    if (String(known.length) !== this.drawn) this.redraw(tick);
    for (const row of this.rows) {
      const told = row.node.hearing.tick <= tick;
      row.group.classList.toggle("untold", !told);
      row.edge?.classList.toggle("untold", !told);
    }
    const summary = describeSpread(this.context, this.fact, tick);
    if (summary !== this.summary.textContent) this.summary.textContent = summary;
    this.showOthers(tick);
    this.showList(tick);
  }

  private redraw(tick: Tick): void {
    const { context, fact } = this;
    const roots = context.hearings.tree(fact);
    this.drawn = String(context.hearings.of(fact).length);
    this.width = Math.max(240, this.picture.clientWidth);
    this.rows = [];
    const place = (node: Telling, parent: number): void => {
      const at = this.rows.length;
      this.rows.push({ node, parent, group: draw("g"), edge: null });
      for (const child of node.children) place(child, at);
    };
    for (const root of roots) place(root, -1);
    if (this.rows.length === 0) {
      this.picture.replaceChildren(note("Nobody knows it, and nobody comes to know it."));
      return;
    }
    const deepest = Math.max(...this.rows.map((row) => row.node.depth));
    const indent = Math.max(9, Math.min(30, (this.width - 210) / Math.max(1, deepest)));
    const edges = draw("g", { class: "tree-edges", "aria-hidden": "true" });
    const people = draw("g");
    this.rows.forEach((row, at) => {
      const x = RADIUS + 3 + row.node.depth * indent;
      row.group = this.drawPerson(row.node.hearing, x, at * ROW + ROW / 2);
      people.append(row.group);
      if (row.parent < 0) return;
      const above = RADIUS + 3 + (row.node.depth - 1) * indent;
      const [from, to] = [row.parent * ROW + ROW / 2 + RADIUS, at * ROW + ROW / 2];
      const bend = Math.min(10, indent - 2);
      row.edge = draw("path", { class: "tree-edge", d: `M${above} ${from}V${to - bend}Q${above} ${to} ${above + bend} ${to}H${x - RADIUS}` });
      edges.append(row.edge);
    });
    const label = `Who told whom of ${context.factName(fact)}: ${this.rows.length} people`;
    const height = this.rows.length * ROW;
    const svg = draw("svg", { class: "tree", width: this.width, height, viewBox: `0 0 ${this.width} ${height}`, role: "group", "aria-label": label }, edges, people);
    svg.addEventListener("keydown", (key) => this.move(key));
    svg.addEventListener("pointerleave", () => this.showWords(this.chosen));
    this.picture.replaceChildren(svg);
    this.showWords(this.chosen);
    this.show(tick);
  }

  private drawPerson(hearing: Hearing, x: number, y: number): SVGGElement {
    const { context } = this;
    const person = context.person(hearing.agent);
    const quote = this.quote(hearing);
    const room = Math.floor((this.width - x - RADIUS - 10) / LETTER);
    const time = hearing.tick < 0 ? "knew it from the start" : `${context.when(hearing.tick)}${hearing.overheard ? ", overhears" : ""}`;
    const small = quote === "" ? time : `${time}  “${quote}”`;
    const label = `${context.name(hearing.agent)}, ${hearing.tick < 0 ? time : `hears it ${context.when(hearing.tick)}${hearing.source < 0 ? "" : ` from ${context.name(hearing.source)}`}: ${quote}`}`;
    const button = draw(
      "g",
      { role: "button", tabindex: 0, "aria-label": label },
      draw("rect", { class: "tree-hit", x: x - RADIUS - 2, y: y - ROW / 2 + 1, width: Math.max(0, this.width - x + RADIUS), height: ROW - 2, rx: 6 }),
      draw("circle", { cx: x, cy: y, r: RADIUS, fill: person?.color ?? "#6f686d" }),
    );
    const texts = draw(
      "g",
      { class: "tree-texts", "aria-hidden": "true" },
      draw("text", { class: "tree-initials", x, y: y + 3.5, fill: letterColor(person?.color ?? "#6f686d") }, person?.initials ?? "?"),
      draw("text", { class: "tree-name", x: x + RADIUS + 8, y: y - 2 }, cut(context.name(hearing.agent), room - 4)),
      draw("text", { class: "tree-time", x: x + RADIUS + 8, y: y + 13 }, cut(small, room)),
    );
    const choose = (): void => {
      this.chosen = hearing;
      this.showWords(hearing);
      this.context.seek(Math.max(0, hearing.tick));
    };
    button.addEventListener("click", choose);
    button.addEventListener("pointerenter", () => this.showWords(hearing));
    button.addEventListener("focus", () => this.showWords(hearing));
    button.addEventListener("keydown", (key) => {
      if (key.key !== "Enter" && key.key !== " ") return;
      key.preventDefault();
      choose();
    });
    return draw("g", { class: "tree-person", "data-agent": hearing.agent }, button, texts);
  }

  /** The words by which it was heard; "" where there are none. */
  private quote(hearing: Hearing): string {
    const data = this.context.event(hearing.cause)?.[4];
    return typeof data?.["text"] === "string" ? data["text"] : "";
  }

  private move(key: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key.key];
    if (step === undefined) return;
    const at = this.rows.findIndex((row) => row.group.contains(document.activeElement));
    const next = this.rows[at + step];
    if (at < 0 || next === undefined) return;
    key.preventDefault();
    next.group.querySelector<SVGGElement>("[role=button]")?.focus();
  }

  private showWords(hearing: Hearing | null): void {
    const { context } = this;
    for (const row of this.rows) row.group.classList.toggle("chosen", row.node.hearing.agent === hearing?.agent);
    if (hearing === null) {
      this.words.replaceChildren(make("p", { class: "hint" }, "Choose a person for the words that told them; the clock goes there."));
      return;
    }
    const head = make("p", { class: "tree-words-head" }, linkPerson(context, hearing.agent, { full: true }));
    if (hearing.tick < 0) head.append(" knew it from the start.");
    else {
      head.append(hearing.overheard ? " overhears it at " : " hears it at ", linkTime(context, hearing.tick, "the telling"));
      if (hearing.source >= 0) head.append(" from ", linkPerson(context, hearing.source, { full: true }));
    }
    const quote = this.quote(hearing);
    const parts: HTMLElement[] = [head];
    if (quote !== "") parts.push(make("blockquote", {}, quote));
    if (hearing.cause >= 0) parts.push(make("p", {}, askWhy(context, hearing.cause, quote)));
    this.words.replaceChildren(...parts);
  }

  private showOthers(tick: Tick): void {
    const knowing = new Set(this.context.hearings.of(this.fact).filter((hearing) => hearing.tick <= tick).map((hearing) => hearing.agent));
    const others = this.context.head.people.map((_, agent) => agent).filter((agent) => !knowing.has(agent));
    const now = others.join();
    if (now === this.others.dataset["now"]) return;
    this.others.dataset["now"] = now;
    if (others.length === 0) this.others.replaceChildren("By now everybody knows it.");
    else if (others.length > 60) this.others.replaceChildren(`${others.length} people do not know it yet.`);
    else this.others.replaceChildren("Not yet: ", ...linkPeople(this.context, others));
  }

  private showList(tick: Tick): void {
    const now = `${this.context.hearings.count(this.fact, tick)} ${this.drawn}`;
    if (now === this.list.dataset["now"]) return;
    this.list.dataset["now"] = now;
    const roots = this.context.hearings.tree(this.fact);
    this.list.replaceChildren(roots.length === 0 ? note("Nobody.") : this.makeList(roots, tick));
  }

  private makeList(nodes: readonly Telling[], tick: Tick): HTMLElement {
    const { context } = this;
    const rows = nodes.map(({ hearing, children }) => {
      const row = make("li", { class: hearing.tick <= tick ? "" : "untold" }, linkPerson(context, hearing.agent, { full: true }), " ");
      if (hearing.tick < 0) row.append("knew it from the start");
      else row.append(hearing.tick <= tick ? "heard it " : "will hear it ", linkTime(context, hearing.tick, "the telling"), this.cause(hearing.cause));
      if (children.length > 0) row.append(this.makeList(children, tick));
      return row;
    });
    return make("ul", { class: "telling" }, ...rows);
  }

  private cause(event: EventId): string {
    const cause = this.context.event(event);
    return cause === undefined ? "" : ` — ${describeEvent(this.context, cause)}`;
  }
}

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, Math.max(1, length - 1)).trimEnd()}…`);
