// "Why?": from an utterance or act back to what was perceived, recalled, asked and answered.

import { make } from "../dom";
import type { AgentIndex, EventId, EventRow, Memory, Mind, Why } from "../protocol";
import { makeCallText } from "./call_text";
import type { CallName, Context } from "./context";
import { WordFinder } from "./find_words";
import { fold, linkTime, makeAvatar, makeHeading, note } from "./parts";
import { makePercept } from "./percept";
import { describeEvent } from "./sentences";

const FIRST = 4; // memories and events that are shown at once

export function mountWhy(element: HTMLElement, context: Context): void {
  const dialog = new WhyDialog(element, context);
  context.doors.call = (call) => dialog.openCall(call);
}

class WhyDialog {
  private readonly title = make("h2", { id: "why-title", tabindex: -1 });
  private readonly body = make("div", { class: "why-parts" });
  private readonly dialog: HTMLDialogElement | null;
  private shown = 0; // counts what was shown, so that a late answer does not replace a newer one

  constructor(
    element: HTMLElement,
    private readonly context: Context,
  ) {
    this.dialog = element.closest("dialog");
    const finder = new WordFinder(this.body);
    element.append(make("header", { class: "why-head" }, this.title, finder.element), this.body);
    this.body.addEventListener("click", (click) => {
      if ((click.target as Element).closest(".time, .person-link, .memory-link") !== null) this.dialog?.close();
    });
    context.store.subscribe((look, changed) => {
      if (changed.has("event") && look.event >= 0) void this.openEvent(look.event);
    });
    context.replay.recording.onGrow(() => {
      const { event } = context.store.get();
      if (event >= 0 && this.shown === 0) void this.openEvent(event); // it was in the address
    });
  }

  openCall(call: CallName): void {
    this.shown++;
    this.title.textContent = `A call: ${call.purpose}`;
    this.body.replaceChildren(makeCallText(this.context, call, { open: true }));
    this.open();
  }

  private async openEvent(id: EventId): Promise<void> {
    const event = this.context.event(id);
    if (event === undefined) return;
    const mine = ++this.shown;
    const [, tick, , agent] = event;
    this.title.textContent = event[2] === "say" ? `Why does ${this.context.name(agent)} say this?` : `Why does ${this.context.name(agent)} do this?`;
    this.body.replaceChildren(this.makeAct(event), note("Reading what led to it …"));
    this.open();
    if (agent < 0) {
      this.body.lastChild?.replaceWith(note("Nobody decided it: it came from outside."));
      return;
    }
    const [why, mind] = await Promise.all([this.read<Why>(`why/${agent}/${tick}`), this.read<Mind>(`person/${agent}`)]);
    if (mine !== this.shown) return;
    if (why instanceof Error) {
      this.body.replaceChildren(this.makeAct(event), note(`What led to it is not to be had: ${why.message}`));
      return;
    }
    this.body.replaceChildren(this.makeAct(event), ...this.makeChain(agent, why, mind instanceof Error ? [] : mind.memories));
  }

  private read<T>(name: string): Promise<T | Error> {
    return this.context.replay.recording.resource<T>(name).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  }

  private open(): void {
    if (this.dialog?.open === false) this.dialog.showModal();
    this.title.focus({ preventScroll: true });
    this.dialog?.scrollTo({ top: 0 });
  }

  private makeAct(event: EventRow): HTMLElement {
    const { context } = this;
    const [, tick, kind, agent, data] = event;
    const words = kind === "say" ? make("blockquote", { class: "why-words" }, String(data["text"] ?? "")) : make("p", { class: "why-words" }, describeEvent(context, event));
    if (agent >= 0) words.style.setProperty("--person", context.person(agent)?.color ?? "#6f686d");
    const to = Array.isArray(data["heard_by"]) && kind === "say" ? (data["heard_by"].length > 0 ? `heard by ${data["heard_by"].join(", ")}` : "heard by nobody") : "";
    return make("section", { class: "why-act" }, ...(agent >= 0 ? [makeAvatar(context, agent)] : []), make("div", {}, make("p", { class: "why-when" }, linkTime(context, tick, "this moment"), to === "" ? "" : ` ${to}`), words));
  }

  private makeChain(agent: AgentIndex, why: Why, memories: readonly Memory[]): HTMLElement[] {
    const { context } = this;
    const parts: HTMLElement[] = [];
    if (why.note !== "") parts.push(note(why.note));
    parts.push(this.makeStep("1", "What was perceived", makePercept(context, agent, why.tick)));
    const events = context.events(why.events).reverse();
    const rows = events.map((event) => make("li", {}, linkTime(context, event[1], "this"), " ", describeEvent(context, event)));
    if (rows.length > 0) parts.push(this.makeStep("", "What bears on it, the latest first", ...makeFirst(rows, "evidence", "earlier")));
    parts.push(this.makeRecalled(agent, why, memories));
    parts.push(this.makeAsked(agent, why));
    return parts;
  }

  private makeRecalled(agent: AgentIndex, why: Why, memories: readonly Memory[]): HTMLElement {
    const byId = new Map(memories.map((memory) => [memory.id, memory]));
    const known = why.recalled.flatMap((id) => byId.get(id) ?? []).sort((a, b) => b.tick - a.tick); // of the run first
    const rows = known.map((memory) => {
      const button = make("button", { type: "button", class: "link memory-link" }, memory.text);
      button.addEventListener("click", () => this.context.doors.memory(agent, memory.id));
      return make("li", {}, make("span", { class: "kind" }, memory.kind), " ", button);
    });
    return this.makeStep("2", "What came to mind", ...(rows.length > 0 ? makeFirst(rows, "recalled", "more") : [note("No memory of this mind stands in what it asked.")]));
  }

  private makeAsked(agent: AgentIndex, why: Why): HTMLElement {
    const { context } = this;
    if (why.calls.length === 0) return this.makeStep("3", "What was asked", note(why.asked));
    const calls = why.calls.map((call, i) =>
      makeCallText(context, { ...call, agent }, { open: i === why.calls.length - 1, ...(why.calls.length > 1 ? { step: `${i + 1} of ${why.calls.length}` } : {}) }),
    );
    return this.makeStep("3", why.calls.length === 1 ? "What was asked and answered" : `What was asked and answered, in ${why.calls.length} calls`, ...(why.asked === "" ? [] : [note(why.asked)]), ...calls);
  }

  private makeStep(step: string, title: string, ...content: HTMLElement[]): HTMLElement {
    const sign = step === "" ? "" : make("span", { class: "step-sign", "aria-hidden": "true" }, step);
    return make("section", { class: "why-step" }, makeHeading(3, "", sign, title), ...content);
  }
}

/** The first rows of a list, and the others folded. */
function makeFirst(rows: HTMLElement[], name: string, others: string): HTMLElement[] {
  const first = make("ul", { class: name }, ...rows.slice(0, FIRST));
  const rest = rows.slice(FIRST);
  return rest.length === 0 ? [first] : [first, fold([`${rest.length} ${others}`], (body) => body.append(make("ul", { class: name }, ...rest)))];
}
