// Who came to know which fact, when, from whom and by which words.

import type { AgentIndex, EventId, Tick } from "../protocol";
import type { Recording } from "../recording";

export interface Hearing {
  agent: AgentIndex;
  fact: number;
  tick: Tick; // -1 where it was known from the start
  source: AgentIndex | -1;
  cause: EventId | -1; // the words by which it was heard
  overheard: boolean; // they were said to others
}

/** A person in the tree of who told whom, under whoever told them. */
export interface Telling {
  hearing: Hearing;
  depth: number;
  children: Telling[];
}

export class Hearings {
  private readonly byFact: Hearing[][];
  private readonly said: EventId[][];
  private readonly byEvent = new Map<EventId, Hearing[]>(); // of the words that were heard

  constructor(private readonly recording: Recording) {
    const { facts, people } = recording.head;
    this.byFact = facts.map((_, fact) =>
      people.flatMap((person, agent) =>
        person.knows.includes(fact) ? [{ agent, fact, tick: -1, source: -1, cause: -1, overheard: false }] : [],
      ),
    );
    this.said = facts.map(() => []);
    for (const [id, tick, kind, agent, data] of recording.events) {
      if (kind === "learn") this.learn(tick, agent, data);
      else if (kind === "say" && Array.isArray(data["facts"])) {
        for (const name of data["facts"]) this.said[recording.findFact(String(name))]?.push(id);
      }
    }
  }

  /** Those who know the fact at some time, in the order in which they came to know it. */
  of(fact: number): readonly Hearing[] {
    return this.byFact[fact] ?? [];
  }

  /** How many know the fact as `tick` ends. */
  count(fact: number, tick: Tick): number {
    return this.of(fact).filter((hearing) => hearing.tick <= tick).length;
  }

  /** How often it was said by then. */
  tellings(fact: number, tick: Tick): number {
    return (this.said[fact] ?? []).filter((id) => (this.recording.events[id]?.[1] ?? 0) <= tick).length;
  }

  /** What somebody comes to know over the run, in order. */
  by(agent: AgentIndex): Hearing[] {
    return this.byFact.flatMap((all) => all.filter((one) => one.agent === agent)).sort((a, b) => a.tick - b.tick);
  }

  /** Who heard something for the first time by these words. */
  from(event: EventId): readonly Hearing[] {
    return this.byEvent.get(event) ?? [];
  }

  /** The tree of who told whom: those who knew it, or heard it from nobody, are its roots. */
  tree(fact: number): Telling[] {
    const nodes = new Map<AgentIndex, Telling>();
    const roots: Telling[] = [];
    for (const hearing of this.of(fact)) {
      const parent = nodes.get(hearing.source);
      const node: Telling = { hearing, depth: parent === undefined ? 0 : parent.depth + 1, children: [] };
      nodes.set(hearing.agent, node);
      (parent?.children ?? roots).push(node);
    }
    return roots;
  }

  private learn(tick: Tick, agent: AgentIndex, data: Record<string, unknown>): void {
    const fact = this.recording.findFact(String(data["fact"]));
    const known = this.byFact[fact];
    if (known === undefined || known.some((one) => one.agent === agent)) return;
    const cause = typeof data["cause"] === "number" ? data["cause"] : -1;
    const addressed = this.recording.events[cause]?.[4]["addressed"];
    const me = this.recording.head.people[agent]?.name ?? "";
    const hearing: Hearing = {
      agent,
      fact,
      tick,
      source: typeof data["source"] === "string" ? this.recording.findPerson(data["source"]) : -1,
      cause,
      overheard: Array.isArray(addressed) && addressed.length > 0 && !addressed.includes(me),
    };
    known.push(hearing);
    const heard = this.byEvent.get(cause);
    if (heard === undefined) this.byEvent.set(cause, [hearing]);
    else heard.push(hearing);
  }
}
