// What the run has cost by the clock: calls, tokens, dollars and fallbacks, by faculty and by person.

import { make } from "../dom";
import type { CallRow, Notices, Tick } from "../protocol";
import type { Context } from "./context";
import { Curve } from "./curve";
import { count, linkTime, makeHeading, note, PagedList } from "./parts";

type By = "faculty" | "person";

interface Sum {
  calls: number;
  tokens: number;
  fallbacks: number;
  seconds: number;
  dollars: number | null; // null where a price is not known
}

const OFTEN = 200; // calls of a run that is being written, until its notices are read again

export function mountCosts(element: HTMLElement, context: Context): void {
  new CostsPanel(element, context);
}

class CostsPanel {
  private by: By = "faculty";
  private chosen = "";
  private drawn = -1;
  private shown = "";
  private readonly tiles = make("dl", { class: "tiles" });
  private readonly curve = new Curve({ width: 340, height: 64, color: "#585054", label: "Tokens over time" });
  private readonly until = make("p", { class: "found" });
  private readonly table = make("table", { class: "sums" });
  private readonly listHead = make("div", { class: "calls-head" });
  private readonly list: PagedList<CallRow>;
  private readonly body: HTMLElement;
  private readonly none = note("No model was asked: everybody here decides by rule.");

  constructor(
    element: HTMLElement,
    private readonly context: Context,
  ) {
    this.list = new PagedList(keyOf, (call) => this.makeCall(call), 40, "Calls");
    const choice = make("div", { class: "choices", role: "group", "aria-label": "Sums by" });
    for (const by of ["faculty", "person"] as const) {
      const button = make("button", { type: "button", class: "pill", "aria-pressed": String(by === this.by) }, `By ${by}`);
      button.addEventListener("click", () => {
        this.by = by;
        this.chosen = "";
        for (const other of choice.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
        this.show(context.tick);
      });
      choice.append(button);
    }
    this.body = make("div", {}, this.tiles, make("figure", { class: "cost-curve" }, this.curve.element, make("figcaption", {}, "Tokens, added up")), choice, this.table, this.listHead, this.list.element);
    element.append(this.makeNotices(), this.until, this.none, this.body);
    context.keep(element, (tick) => this.show(tick));
  }

  /** What was degraded or cut, which takes the reading of every call: it comes when it is found. */
  private makeNotices(): HTMLElement {
    const list = make("ul", { class: "notices", "aria-label": "What to know of this run", hidden: true });
    const { recording } = this.context.replay;
    let asked = "";
    const fill = (): void => {
      const { state, calls } = recording.head.status;
      const now = `${state} ${Math.floor(calls / OFTEN)}`;
      if (now === asked) return;
      asked = now;
      recording.resource<Notices>("notices").then(
        ({ notices }) => {
          list.hidden = notices.length === 0;
          list.replaceChildren(...notices.map((text) => make("li", {}, text)));
        },
        () => (asked = ""), // asked again as the run grows
      );
    };
    recording.onGrow(fill);
    if (recording.calls.length > 0) fill();
    return list;
  }

  private show(tick: Tick): void {
    const { calls } = this.context.replay.recording;
    this.none.hidden = calls.length > 0;
    this.body.hidden = calls.length === 0;
    this.until.textContent = calls.length === 0 ? "" : `From the start to ${this.context.when(tick)}. Model: ${this.context.head.model ?? "none"}.`;
    const before = calls.filter((call) => call.tick <= tick);
    this.showCurve(calls, tick);
    const now = `${before.length} ${calls.length} ${this.by} ${this.chosen}`;
    if (now === this.shown) return;
    this.shown = now;
    this.showTiles(before, calls);
    this.showTable(before);
    this.showCalls(before);
  }

  private showTiles(before: readonly CallRow[], all: readonly CallRow[]): void {
    const [sum, whole] = [add(before), add(all)];
    const tiles: [string, string, string][] = [
      ["Calls", number(sum.calls), `of ${number(whole.calls)}`],
      ["Tokens", number(sum.tokens), `of ${number(whole.tokens)}`],
      ["Dollars", money(sum.dollars), whole.dollars === null ? "price not known" : `of ${money(whole.dollars)}`],
      ["Fallbacks", number(sum.fallbacks), sum.calls === 0 ? "" : `${((100 * sum.fallbacks) / sum.calls).toFixed(1)} % of calls`],
      ["Waited", duration(sum.seconds), "for the model"],
    ];
    this.tiles.replaceChildren(...tiles.map(([name, value, rest]) => make("div", {}, make("dt", {}, name), make("dd", {}, make("strong", {}, value), make("small", {}, rest)))));
  }

  private showCurve(calls: readonly CallRow[], tick: Tick): void {
    const last = Math.max(1, this.context.replay.recording.lastTick);
    if (this.drawn === calls.length) {
      this.curve.moveHand(tick, last);
      return;
    }
    this.drawn = calls.length;
    const steps = new Map<Tick, number>();
    let sum = 0;
    for (const call of [...calls].sort((a, b) => a.tick - b.tick)) steps.set(call.tick, (sum += call.promptTokens + call.completionTokens));
    this.curve.show([...steps], last, sum, tick);
    this.curve.element.setAttribute("aria-label", `Tokens added up over time, ${number(sum)} at the end`);
  }

  private showTable(before: readonly CallRow[]): void {
    const groups = new Map<string, CallRow[]>();
    for (const call of before) {
      const key = this.keyOf(call);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [call]);
      else group.push(call);
    }
    const rows = [...groups].map(([key, calls]) => ({ key, sum: add(calls) })).sort((a, b) => b.sum.tokens - a.sum.tokens);
    const most = Math.max(1, ...rows.map((row) => row.sum.tokens));
    const head = ["", "Calls", "Tokens", "Dollars", "Fallbacks"].map((name, i) => make("th", { scope: "col", class: i === 0 ? "" : "number" }, name || (this.by === "faculty" ? "Faculty" : "Person")));
    const lines = rows.map(({ key, sum }) => {
      const button = make("button", { type: "button", class: "link", "aria-pressed": String(key === this.chosen) }, this.label(key));
      button.addEventListener("click", () => {
        this.chosen = this.chosen === key ? "" : key;
        this.show(this.context.tick);
      });
      const tokens = make("td", { class: "number bar-cell" }, number(sum.tokens));
      tokens.style.setProperty("--share", String(sum.tokens / most));
      return make("tr", { class: key === this.chosen ? "chosen" : "" }, make("th", { scope: "row" }, button), make("td", { class: "number" }, number(sum.calls)), tokens, make("td", { class: "number" }, money(sum.dollars)), make("td", { class: sum.fallbacks > 0 ? "number warn" : "number" }, number(sum.fallbacks)));
    });
    const focused = document.activeElement?.closest("table") === this.table ? document.activeElement.textContent : null;
    this.table.replaceChildren(make("caption", { class: "unseen" }, `Sums by ${this.by}`), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines));
    if (focused !== null) [...this.table.querySelectorAll("button")].find((button) => button.textContent === focused)?.focus();
  }

  private showCalls(before: readonly CallRow[]): void {
    const calls = this.chosen === "" ? [] : before.filter((call) => this.keyOf(call) === this.chosen).reverse();
    this.listHead.replaceChildren(
      ...(this.chosen === "" ? [note(`Choose a ${this.by} for its calls, with prompts and replies.`)] : [makeHeading(2, `${this.label(this.chosen)}: ${count(calls.length, "call")}, newest first`)]),
    );
    this.list.show(calls);
  }

  private makeCall(call: CallRow): HTMLElement {
    const { context } = this;
    const open = make("button", { type: "button", class: "link" }, `${context.firstName(call.agent)}, ${call.purpose}`);
    open.addEventListener("click", () => context.doors.call(call));
    const outcome = call.outcome === "fallback" ? make("span", { class: "outcome warn" }, "fallback: a rule stood in") : make("span", { class: "outcome" }, call.outcome);
    return make("div", { class: "call-row" }, linkTime(context, call.tick, "this call"), open, make("span", { class: "call-numbers" }, `${number(call.promptTokens)} → ${number(call.completionTokens)} tokens`), outcome);
  }

  private keyOf(call: CallRow): string {
    return this.by === "faculty" ? (call.purpose.split(".")[0] ?? "") : String(call.agent);
  }

  private label(key: string): string {
    return this.by === "faculty" ? key : this.context.name(Number(key));
  }
}

function add(calls: readonly CallRow[]): Sum {
  const sum: Sum = { calls: calls.length, tokens: 0, fallbacks: 0, seconds: 0, dollars: 0 };
  for (const call of calls) {
    sum.tokens += call.promptTokens + call.completionTokens;
    sum.seconds += call.seconds;
    if (call.outcome === "fallback") sum.fallbacks++;
    sum.dollars = sum.dollars === null || call.dollars === null ? null : sum.dollars + call.dollars;
  }
  return sum;
}

const keyOf = (call: CallRow): string => `${call.agent} ${call.tick} ${call.purpose} ${call.number}`;
const number = (value: number): string => (value >= 1e6 ? `${(value / 1e6).toFixed(2)} M` : value.toLocaleString("en"));
const money = (value: number | null): string => (value === null ? "?" : `$${value.toFixed(value > 0 && value < 1 ? 4 : 2)}`);

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  return seconds < 5400 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
