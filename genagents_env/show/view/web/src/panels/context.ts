// What all panels share: the recording, how people, facts and times are named, and where links lead.

import type { AgentIndex, CallRow, EventId, EventRow, Fact, Head, Person, Tick } from "../protocol";
import { onTick } from "../replay";
import type { Replay } from "../replay";
import type { Look, Store } from "../store";
import { Hearings } from "./hearings";

const EVERY = 125; // milliseconds between two updates while the clock runs
const AGAIN = 4000; // milliseconds between two readings of what grows with a run
const LONG = 2 * 3600; // seconds: a shorter run has its times to the second

/** A model call as links name it. */
export type CallName = Pick<CallRow, "agent" | "tick" | "purpose" | "number">;

export interface Doors {
  call(call: CallName): void; // shows its prompt and reply
  memory(agent: AgentIndex, id: number): void; // shows it among the memories of its person
}

export class Context {
  readonly head: Head;
  hearings: Hearings;
  doors: Doors = { call: () => undefined, memory: () => undefined };
  private readonly short: string[];

  constructor(
    readonly replay: Replay,
    readonly store: Store,
  ) {
    this.head = replay.recording.head;
    this.short = shorten(this.head.people);
    this.hearings = new Hearings(replay.recording);
    replay.recording.onGrow(() => (this.hearings = new Hearings(replay.recording)));
  }

  /** The tick that is shown. */
  get tick(): Tick {
    return Math.floor(this.store.get().time);
  }

  person(agent: AgentIndex): Person | undefined {
    return this.head.people[agent];
  }

  name(agent: AgentIndex): string {
    return this.head.people[agent]?.name ?? "somebody";
  }

  /** The first name where it is nobody else's. */
  firstName(agent: AgentIndex): string {
    return this.short[agent] ?? "somebody";
  }

  fact(fact: number): Fact {
    return this.head.facts[fact] ?? { id: "?", text: "", color: "#6f686d" };
  }

  /** The id of a fact as words. */
  factName(fact: number): string {
    return this.fact(fact).id.replaceAll("_", " ");
  }

  event(id: EventId): EventRow | undefined {
    return this.replay.recording.events[id];
  }

  /** Those of these events that are there. */
  events(ids: readonly EventId[]): EventRow[] {
    return ids.map((id) => this.event(id)).filter((event) => event !== undefined);
  }

  /** A town time as short as this run allows: "11:00:55", "12:01", "Tue 12:01". */
  when(tick: Tick): string {
    if (tick < 0) return "before";
    return this.hasDays ? `${this.replay.calendar.day(tick).slice(0, 3)} ${this.clock(tick)}` : this.clock(tick);
  }

  /** The same without the day. */
  clock(tick: Tick): string {
    const { calendar } = this.replay;
    return this.end * this.head.secondsPerTick <= LONG ? calendar.clockWithSeconds(tick) : calendar.clock(tick);
  }

  /** Whether the run goes over more than one day. */
  get hasDays(): boolean {
    return this.replay.calendar.day(0) !== this.replay.calendar.day(this.end);
  }

  private get end(): Tick {
    return Math.max(this.head.horizon, this.head.status.lastTick);
  }

  seek(tick: Tick): void {
    this.replay.clock.seek(Math.max(0, tick));
  }

  openPerson(agent: AgentIndex): void {
    this.store.set({ person: agent, panel: "person" });
  }

  openFact(fact: number): void {
    this.store.set({ fact, panel: "facts" });
  }

  /** Asks why the event came about. */
  openWhy(event: EventId): void {
    this.store.set({ event });
  }

  /** Calls `read` now and as the run grows, not too often, nor while the element is hidden. */
  keepReading(element: HTMLElement, read: () => void): void {
    let last = 0;
    let waiting = false;
    const run = (): void => {
      if (waiting) return;
      waiting = true;
      setTimeout(() => {
        waiting = false;
        if (element.hidden) return; // shown again, it is read anew
        last = performance.now();
        read();
      }, Math.max(0, AGAIN - (performance.now() - last)));
    };
    last = performance.now();
    read();
    this.replay.recording.onGrow(run);
    this.store.subscribe((_, changed) => {
      if (changed.has("panel") && this.head.live) run();
    });
  }

  /** Calls `show` now, when the clock moves, when one of `keys` changes and when the run grows; not while hidden. */
  keep(element: HTMLElement, show: (tick: Tick) => void, keys: (keyof Look)[] = []): void {
    const run = (): void => {
      if (!element.hidden) show(this.tick);
    };
    onTick(this.store, run, [...keys, "panel"], EVERY);
    this.replay.recording.onGrow(run);
    run();
  }
}

function shorten(people: Person[]): string[] {
  const first = people.map((person) => person.name.split(" ")[0] ?? person.name);
  return people.map((person, i) => (first.filter((name) => name === first[i]).length > 1 ? person.name : (first[i] ?? "")));
}
