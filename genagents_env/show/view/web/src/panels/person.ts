// A person: now, the plan of the day, memories, whom and what one knows, interviews; or the choice of one.

import { make } from "../dom";
import type { AgentIndex, Mind, Tick } from "../protocol";
import type { Context } from "./context";
import { mountInterviews } from "./interviews";
import { mountKnown } from "./known";
import { mountMemories } from "./memories";
import { fold, makeAvatar, makeHeading, note } from "./parts";
import { mountNow } from "./person_now";
import { mountPeople } from "./people";
import { mountPlans } from "./plans";

const BRIEF = 170; // letters about somebody that are shown at once

const UNREAD: Mind = { until: -1, note: "", memories: [], plans: [], acquaintances: [], interviews: [] };

/** A part of the panel: its element, and what shows it as of a tick. */
export interface Part {
  element: HTMLElement;
  ofMind?: boolean; // it has nothing to show before the mind is read
  show(tick: Tick, mind: Mind): void;
  reveal?(memory: number): boolean; // shows this memory; whether it is there
}

export function mountPerson(element: HTMLElement, context: Context): void {
  const panel = new PersonPanel(element, context);
  context.doors.memory = (agent, id) => panel.openMemory(agent, id);
}

class PersonPanel {
  private agent: AgentIndex | -1 = -2;
  private mind: Mind | null = null;
  private fault = "";
  private parts: Part[] = [];
  private wanted = -1; // the memory to show as soon as it is there
  private readonly people = make("div", { class: "people" });
  private readonly one = make("div", { class: "one" });
  private readonly state = make("div", { class: "mind-state", "aria-live": "polite" });

  constructor(
    element: HTMLElement,
    private readonly context: Context,
  ) {
    element.append(this.people, this.one);
    mountPeople(this.people, context);
    context.keep(element, (tick) => this.update(tick), ["person"]);
    context.keepReading(element, () => {
      if (this.agent >= 0) void this.read(this.agent);
    });
  }

  openMemory(agent: AgentIndex, id: number): void {
    this.wanted = id;
    this.context.openPerson(agent);
    this.update(this.context.tick);
  }

  private update(tick: Tick): void {
    const { person } = this.context.store.get();
    if (person !== this.agent) this.choose(person);
    if (this.agent < 0) return;
    for (const part of this.parts) {
      part.element.hidden = part.ofMind === true && this.mind === null;
      if (!part.element.hidden) part.show(tick, this.mind ?? UNREAD);
    }
    if (this.wanted >= 0 && this.mind !== null) {
      for (const part of this.parts) part.reveal?.(this.wanted);
      this.wanted = -1;
    }
  }

  private choose(person: AgentIndex | -1): void {
    this.agent = person;
    this.mind = null;
    this.people.hidden = person >= 0;
    this.one.hidden = person < 0;
    this.one.replaceChildren();
    this.parts = [];
    if (person < 0) return;
    const { context } = this;
    this.parts = [
      mountNow(context, person),
      mountPlans(context, person),
      mountMemories(context, person),
      mountKnown(context, person),
      mountInterviews(context, person),
    ];
    this.one.append(this.makeHead(person), this.state, ...this.parts.map((part) => part.element));
    this.one.parentElement?.scrollTo({ top: 0 });
    void this.read(person);
  }

  private makeHead(agent: AgentIndex): HTMLElement {
    const { context } = this;
    const person = context.person(agent);
    const all = make("button", { type: "button", class: "pill" }, "‹ Everybody");
    all.addEventListener("click", () => context.store.set({ person: -1, follow: false }));
    const follow = make("button", { type: "button", class: "pill" }, "Follow on the map");
    const showFollow = (): void => follow.setAttribute("aria-pressed", String(context.store.get().follow));
    follow.addEventListener("click", () => context.store.set({ follow: !context.store.get().follow }));
    context.store.subscribe((_, changed) => {
      if (changed.has("follow") && follow.isConnected) showFollow();
    });
    showFollow();
    const age = person?.age === null || person?.age === undefined ? "" : `, ${person.age}`;
    return make(
      "header",
      { class: "person-head" },
      make("div", { class: "person-bar" }, all, follow),
      make("div", { class: "person-title" }, makeAvatar(context, agent), makeHeading(2, context.name(agent), make("span", { class: "age" }, age))),
      ...makeAbout(person?.about ?? ""),
    );
  }

  private async read(agent: AgentIndex): Promise<void> {
    if (this.mind === null) this.state.replaceChildren(note(`Reading what ${this.context.firstName(agent)} remembers …`));
    try {
      const mind = await this.context.replay.recording.resource<Mind>(`person/${agent}`);
      if (agent !== this.agent) return;
      this.mind = mind;
      this.fault = mind.note;
    } catch (error) {
      if (agent !== this.agent) return;
      this.fault = `What this mind holds cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.state.replaceChildren(...(this.fault === "" ? [] : [note(this.fault)]));
    this.update(this.context.tick);
  }
}

/** Who they are, in the scenario's words: the first sentences, and all of them when asked. */
function makeAbout(text: string): HTMLElement[] {
  if (text.length <= BRIEF) return [make("p", { class: "about" }, text)];
  const end = text.slice(0, BRIEF).lastIndexOf(" ");
  return [fold([make("span", { class: "about" }, `${text.slice(0, end)} …`)], (body) => body.append(make("p", { class: "about" }, text.slice(end + 1))), { class: "about-fold" })];
}
