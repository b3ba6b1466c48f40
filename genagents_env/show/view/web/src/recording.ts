// What is recorded: head, town, where everyone stood, what happened; as much of it as is loaded.
//
// How to read it (panels):
//   recording.head, recording.town        what never changes (head.status does)
//   recording.events                      every event so far, ordered; events[id] is the event `id`
//   recording.eventsIn(first, last, kind) those of some ticks
//   recording.lastTick                    as far as events and positions are loaded
//   recording.calls                       every model call without its texts (loaded last)
//   await recording.resource<Mind>("person/3")   anything else, asked for once and kept
//   recording.onGrow(() => ...)           a run that is still written got longer, or its status changed
// Resources that grow with the run are asked again after `onGrow`: kept ones are forgotten then.

import { PART } from "./protocol";
import type { AgentIndex, CallRow, Calls, EventId, EventRow, Events, Gatherings, Head, Status, Tick, Town } from "./protocol";
import { readInt16, readJson } from "./source";

const AT_ONCE = 6; // requests; what browsers do of one host
const MOST = 128e6; // bytes of positions that are loaded without being asked for
const EVERY = 1000; // milliseconds between two looks at a run that is being written
const SHARE = 10; // a look that takes long is repeated after so many times as long

export class Recording {
  events: EventRow[] = [];
  calls: CallRow[] = [];
  gatherings: Gatherings["gatherings"] = [];
  lastTick: Tick = -1;

  private places = new Map<string, number>();
  private objects = new Map<string, number>();
  private people = new Map<string, AgentIndex>();
  private facts = new Map<string, number>();
  private ticks: (Int16Array | undefined)[] = [];
  private coming = new Map<number, Promise<void>>(); // parts of positions that were asked for
  private kept = new Map<string, Promise<unknown>>();
  private growing: ((from: Tick) => void)[] = [];
  private arriving: (() => void)[] = [];

  private constructor(
    readonly head: Head,
    readonly town: Town,
    private readonly early: { ticks: Promise<Int16Array>; events: Promise<Events> },
  ) {
    town.arenas.forEach((arena, index) => this.places.set(arena.id, index));
    town.objects.forEach((object, index) => this.objects.set(object.id, index));
    head.people.forEach((person, index) => this.people.set(person.name, index));
    head.facts.forEach((fact, index) => this.facts.set(fact.id, index));
    void this.takeTicks(0, early.ticks);
  }

  /** Reads what the run is, and asks already for what its first part has: every run has one. */
  static async open(): Promise<Recording> {
    const early = { ticks: readInt16("ticks/0"), events: readJson<Events>("events/0") };
    early.ticks.catch(() => undefined); // told of where it is awaited
    early.events.catch(() => undefined);
    const [head, town] = await Promise.all([readJson<Head>("head"), readJson<Town>("town")]);
    return new Recording(head, town, early);
  }

  findPerson(name: string): AgentIndex | -1 {
    return this.people.get(name) ?? -1;
  }

  findFact(id: string): number {
    return this.facts.get(id) ?? -1;
  }

  findObject(id: string): number {
    return this.objects.get(id) ?? -1;
  }

  /** The index of an arena by its full id. */
  findPlace(id: string): number {
    return this.places.get(id) ?? -1;
  }

  /** Loads all events and, from the part of `time` on, positions; calls `paint` when `time` can be shown. */
  async load(time: Tick, paint: () => void): Promise<void> {
    const { lastTick } = this.head.status;
    const parts = Math.floor(Math.max(0, lastTick) / PART) + 1;
    const here = Math.min(parts - 1, Math.floor(Math.max(0, time) / PART));
    const first = this.loadTicks(here);
    await this.takeEvents([this.early.events, ...readParts<Events>("events", 1, here + 1)], 0);
    await first;
    this.tellGrowth(0);
    paint();
    await new Promise((resolve) => setTimeout(resolve)); // the picture first
    await this.takeEvents(readParts<Events>("events", here + 1, parts), here + 1);
    await this.complete(parts - 1);
    this.tellGrowth();
    this.gatherings = (await readJson<Gatherings>("gatherings")).gatherings;
    await this.readCalls(0);
    this.tellGrowth();
    await this.loadRest(parts);
  }

  /** Reads the last part again where it was read before the run had come as far as its head says. */
  private async complete(part: number): Promise<void> {
    const { events, lastTick } = this.head.status;
    const loaded = this.ticks[part];
    const row = 2 * this.head.people.length;
    const short = loaded !== undefined && loaded.length < (lastTick - part * PART + 1) * row;
    if (lastTick >= 0 && (short || this.events.length < events)) await this.readOn(part, lastTick);
  }

  /** Appends the events of parts as they come. */
  private async takeEvents(parts: Promise<Events>[], first: number): Promise<void> {
    for (const [at, asked] of parts.entries()) {
      this.events = this.events.concat((await asked).events);
      this.lastTick = Math.min(this.head.status.lastTick, (first + at + 1) * PART - 1);
    }
  }

  private tellGrowth(from: Tick = this.lastTick + 1): void {
    for (const listener of this.growing) listener(from);
  }

  private async loadRest(parts: number): Promise<void> {
    if (parts * PART * this.head.people.length * 4 > MOST) return;
    for (let part = 0; part < parts; part++) await this.loadTicks(part);
  }

  private loadTicks(part: number): Promise<void> {
    const asked = this.coming.get(part);
    if (asked !== undefined) return asked;
    return this.takeTicks(part, readInt16(`ticks/${part}`));
  }

  private takeTicks(part: number, asked: Promise<Int16Array>): Promise<void> {
    const coming = asked.then(
      (read) => {
        this.ticks[part] ??= read;
        for (const listener of this.arriving) listener();
      },
      () => void this.coming.delete(part), // asked again when it is needed
    );
    this.coming.set(part, coming);
    return coming;
  }

  /** Where everyone stood as `tick` ended: x and y of agent i at 2 * i; undefined until it is loaded. */
  positions(tick: Tick): Int16Array | undefined {
    const part = Math.floor(tick / PART);
    const held = this.ticks[part];
    if (held === undefined) {
      if (tick >= 0 && tick <= this.head.status.lastTick) void this.loadTicks(part);
      return undefined;
    }
    const row = 2 * this.head.people.length;
    const start = (tick - part * PART) * row;
    return start + row <= held.length ? held.subarray(start, start + row) : undefined;
  }

  /** The index of the first event at `tick` or later. */
  firstEvent(tick: Tick): EventId {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.events[middle]?.[1] ?? 0) < tick) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The events of these ticks, both included, in order; of one kind where it is given. */
  eventsIn(first: Tick, last: Tick, kind?: string): EventRow[] {
    const found = this.events.slice(this.firstEvent(first), this.firstEvent(last + 1));
    return kind === undefined ? found : found.filter((event) => event[2] === kind);
  }

  /** A resource of the page by its name, asked for once until the run grows. */
  resource<T>(name: string): Promise<T> {
    const held = this.kept.get(name);
    if (held !== undefined) return held as Promise<T>;
    const asked = readJson<T>(name);
    this.kept.set(name, asked);
    asked.catch(() => this.kept.delete(name)); // asked again next time
    return asked;
  }

  /** `listener` gets the first tick of which something is new. */
  onGrow(listener: (from: Tick) => void): void {
    this.growing.push(listener);
  }

  /** `listener` is called when positions arrived. */
  onArrive(listener: () => void): void {
    this.arriving.push(listener);
  }

  /** Keeps up with a run that is being written, as long as the page is open. */
  async follow(): Promise<void> {
    let took = 0;
    while (this.head.live) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(EVERY, SHARE * took)));
      if (document.hidden) continue;
      const begun = performance.now();
      try {
        await this.grow(await readJson<Status>("status"));
      } catch (error) {
        if (!(error instanceof Error)) throw error; // the server is away; asked again
      }
      took = performance.now() - begun;
    }
  }

  private async grow(status: Status): Promise<void> {
    const before = this.head.status;
    if (status.revision !== before.revision) {
      location.reload(); // what was given does not hold any more; the address keeps the moment
      return;
    }
    const grown = status.lastTick > this.lastTick;
    if (!grown && status.state === before.state && status.calls === before.calls) return;
    const first = Math.floor(Math.max(0, this.lastTick) / PART);
    if (grown) await this.readOn(first, status.lastTick);
    this.head.status = status;
    this.lastTick = Math.max(this.lastTick, status.lastTick);
    await this.readCalls(first);
    this.gatherings = (await readJson<Gatherings>("gatherings")).gatherings;
    this.kept.clear();
    this.tellGrowth(grown ? first * PART : undefined);
  }

  /** Reads the part that has grown, and those after it. */
  private async readOn(first: number, lastTick: Tick): Promise<void> {
    const last = Math.floor(lastTick / PART);
    const [events, ticks] = await Promise.all([
      Promise.all(readParts<Events>("events", first, last + 1)),
      Promise.all(Array.from({ length: last + 1 - first }, (_, at) => readInt16(`ticks/${first + at}`))),
    ]);
    const kept = this.events.slice(0, this.firstEvent(first * PART));
    this.events = kept.concat(events.flatMap((part) => part.events).filter((event) => event[1] <= lastTick));
    ticks.forEach((held, at) => {
      this.ticks[first + at] = held;
      this.coming.set(first + at, Promise.resolve());
    });
  }

  /** Reads the calls from a part on. */
  private async readCalls(first: number): Promise<void> {
    const last = Math.floor(Math.max(0, this.lastTick) / PART);
    const parts = await Promise.all(readParts<Calls>("calls", first, last + 1));
    const kept = this.calls.filter((call) => call.tick < first * PART);
    this.calls = [...kept, ...parts.flatMap((part) => part.calls)];
  }
}

/** Asks for parts, in their order and not all at the same time. */
function readParts<T>(name: string, first: number, end: number): Promise<T>[] {
  const asked: Promise<T>[] = [];
  for (let part = first; part < end; part++) {
    const before = asked[part - first - AT_ONCE];
    const ask = (): Promise<T> => readJson<T>(`${name}/${part}`);
    asked.push(before === undefined ? ask() : before.then(ask));
  }
  return asked;
}
