// What somebody remembers, up to the clock: newest first, by kind, with what each rests on.

import { make } from "../dom";
import type { AgentIndex, Memory, Mind, Tick } from "../protocol";
import type { Context } from "./context";
import { fillMemory } from "./memory_evidence";
import { fold, linkTime, note, PagedList } from "./parts";
import type { Part } from "./person";

const PAGE = 25;

export function mountMemories(context: Context, agent: AgentIndex): Part {
  const list = new MemoryList(context, agent);
  return { element: list.element, ofMind: true, show: (tick, mind) => list.show(tick, mind), reveal: (id) => list.reveal(id) };
}

class MemoryList {
  readonly element: HTMLDetailsElement;
  private memories: readonly Memory[] = [];
  private byId = new Map<number, Memory>();
  private tick: Tick = 0;
  private readonly counted = make("span", { class: "count" });
  private readonly search = make("input", { type: "search", placeholder: "Search memories", "aria-label": "Search memories" });
  private readonly kind = make("select", { "aria-label": "Kind of memory" });
  private readonly order = make("select", { "aria-label": "Order" }, make("option", { value: "new" }, "Newest first"), make("option", { value: "weight" }, "Weightiest first"));
  private readonly empty = note();
  private readonly list: PagedList<Memory>;

  constructor(
    private readonly context: Context,
    private readonly agent: AgentIndex,
  ) {
    this.list = new PagedList(
      keyOf,
      (memory) => makeMemory(this.context, this.agent, memory, this.byId),
      PAGE,
      "Memories",
    );
    const bar = make("div", { class: "panel-bar inner", role: "search" }, this.search, make("div", { class: "choices" }, this.kind, this.order));
    this.element = fold([make("span", { class: "fold-title" }, "Memories"), this.counted], (body) => body.append(bar, this.empty, this.list.element), { open: true });
    for (const input of [this.search, this.kind, this.order]) input.addEventListener("input", () => this.refresh());
  }

  show(tick: Tick, mind: Mind): void {
    this.tick = tick;
    if (mind.memories !== this.memories) {
      this.memories = mind.memories;
      this.byId = new Map(mind.memories.map((memory) => [memory.id, memory]));
      this.fillKinds();
    }
    this.refresh();
  }

  /** Shows this memory open, whatever was searched for; goes to its time where it is still to come. */
  reveal(id: number): boolean {
    const memory = this.byId.get(id);
    if (memory === undefined) return false;
    if (memory.tick > this.tick) this.context.seek(memory.tick);
    this.search.value = "";
    this.kind.value = "";
    this.element.open = true;
    this.tick = Math.max(this.tick, memory.tick);
    this.refresh();
    const row = this.list.reveal(keyOf(memory));
    const details = row?.querySelector("details");
    if (row === undefined || details === null || details === undefined) return false;
    details.open = true;
    requestAnimationFrame(() => {
      row.scrollIntoView({ block: "center" });
      details.querySelector("summary")?.focus({ preventScroll: true });
    });
    return true;
  }

  private fillKinds(): void {
    const kinds = [...new Set(this.memories.map((memory) => memory.kind))].sort();
    const chosen = this.kind.value;
    this.kind.replaceChildren(make("option", { value: "" }, "All kinds"), ...kinds.map((kind) => make("option", { value: kind }, kind)));
    this.kind.value = kinds.includes(chosen) ? chosen : "";
  }

  private refresh(): void {
    const query = this.search.value.trim().toLocaleLowerCase();
    const made = this.memories.filter((memory) => memory.tick <= this.tick);
    const chosen = made.filter((memory) => (this.kind.value === "" || memory.kind === this.kind.value) && memory.text.toLocaleLowerCase().includes(query));
    chosen.reverse();
    if (this.order.value === "weight") chosen.sort((a, b) => (b.importance ?? 0) - (a.importance ?? 0));
    this.counted.textContent = chosen.length === made.length ? String(made.length) : `${chosen.length} of ${made.length}`;
    this.empty.hidden = chosen.length > 0;
    if (chosen.length === 0) {
      this.empty.textContent = made.length > 0 ? "No memory like that by now." : this.memories.length > 0 ? "No memory by now." : `No memories: the policy ${this.context.person(this.agent)?.policy ?? ""} keeps none.`;
    }
    this.list.show(chosen);
  }
}

/** Memories keep their ids, but a mind that forgets may number anew. */
const keyOf = (memory: Memory): string => `${memory.id} ${memory.tick} ${memory.text.slice(0, 60)}`;

/** A memory as a row that opens to what it rests on. */
export function makeMemory(context: Context, agent: AgentIndex, memory: Memory, byId: ReadonlyMap<number, Memory>): HTMLElement {
  const weight = make("span", { class: "weight" });
  if (memory.importance !== null) {
    const bar = make("span", { class: "weight-bar", "aria-hidden": "true" });
    bar.style.setProperty("--weight", String(Math.max(0, Math.min(10, memory.importance)) / 10));
    weight.append(bar, make("span", { "aria-label": `importance ${memory.importance} of 10` }, String(memory.importance)));
  }
  const head = make("span", { class: "memory-head" }, make("span", { class: `kind kind-${memory.kind.replace(/[^a-z]/g, "")}` }, memory.kind), make("span", { class: "memory-time" }, memory.tick < 0 ? "brought along" : context.when(memory.tick)), weight);
  const element = fold([head, make("span", { class: "memory-text" }, memory.text)], (body) => {
    if (memory.tick >= 0) body.append(make("p", { class: "memory-go" }, "Made at ", linkTime(context, memory.tick, "when it was made")));
    fillMemory(context, agent, memory, byId, body);
  });
  element.classList.add("memory");
  return element;
}
