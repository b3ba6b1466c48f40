// The town at any tick, replayed from what is recorded.
//
// How to read it (panels):
//   const now = replay.states.at(tick)    the state as `tick` ended; read it at once, do not keep it:
//                                         the same arrays are moved on to the next tick asked for
//   now.doing[i], now.emoji[i], now.asleep[i], now.present[i]      of agent i
//   now.x[i], now.y[i], now.place[i]      tile and index of the arena; -1 until positions are loaded
//   now.conversation[i]                   the id of the conversation that i is in, or -1
//   now.objectState[o]                    of object o of the town
//   now.learned[i * facts + f]            the tick at which i came to know fact f, NEVER if not yet
//   replay.states.knows(now, i, f)        whether i knows it by then
//   replay.states.history(o)              all states of object o, with their ticks and events
//   replay.states.spoken(first, last)     what was said in these ticks
// A keyframe every PART ticks makes any jump cost at most that many ticks' events.

import { PART } from "./protocol";
import type { AgentIndex, EventId, EventRow, Tick } from "./protocol";
import type { Recording } from "./recording";

export const NEVER = 0x7fffffff;

export interface State {
  tick: Tick;
  x: Int16Array;
  y: Int16Array;
  place: Int16Array;
  doing: string[];
  emoji: string[];
  asleep: Uint8Array;
  present: Uint8Array;
  conversation: Int32Array;
  objectState: string[];
  learned: Int32Array;
}

export interface Utterance {
  event: EventId;
  tick: Tick;
  agent: AgentIndex;
  text: string;
  to: string | null;
  heardBy: AgentIndex[];
  facts: number[];
  phone: boolean;
}

export class States {
  private frames: State[] = []; // frames[k]: after all events before tick k * PART
  private cursors: State[] = []; // last used first
  private readonly arena: Uint16Array;

  constructor(private readonly recording: Recording) {
    const bytes = Uint8Array.from(atob(recording.town.arena), (letter) => letter.charCodeAt(0));
    this.arena = new Uint16Array(bytes.buffer);
    recording.onGrow((from) => this.forget(from));
  }

  /** The state as `tick` ended. */
  at(tick: Tick): State {
    const wanted = Math.max(0, Math.min(Math.floor(tick), Math.max(0, this.recording.lastTick)));
    let best = this.cursors.filter((one) => one.tick <= wanted).sort((a, b) => b.tick - a.tick)[0];
    if (best === undefined || wanted - best.tick > PART) {
      const frame = this.frame(Math.floor(wanted / PART));
      if (best === undefined || frame.tick > best.tick) {
        best = copy(frame);
        this.cursors = [best, ...this.cursors.slice(0, 2)];
      }
    }
    if (best.tick < wanted) this.advance(best, wanted);
    this.place(best);
    return best;
  }

  knows(state: State, agent: AgentIndex, fact: number): boolean {
    return (state.learned[agent * this.recording.head.facts.length + fact] ?? NEVER) <= state.tick;
  }

  /** All states of an object over the run, the first at the start. */
  history(object: number): { tick: Tick; state: string; agent: AgentIndex | -1; event: EventId | -1 }[] {
    const known = this.recording.town.objects[object];
    if (known === undefined) return [];
    const found: ReturnType<States["history"]> = [{ tick: 0, state: known.state, agent: -1, event: -1 }];
    for (const [event, tick, kind, agent, data] of this.recording.events) {
      if (kind !== "object" || data["object"] !== known.id) continue;
      const state = String(data["state"]);
      if (state !== found[found.length - 1]?.state) found.push({ tick, state, agent, event });
    }
    return found;
  }

  /** What was said in these ticks, both included, in order. */
  spoken(first: Tick, last: Tick): Utterance[] {
    return this.recording.eventsIn(first, last, "say").map((event) => readUtterance(this.recording, event));
  }

  private forget(from: Tick): void {
    this.frames.length = Math.min(this.frames.length, Math.max(0, Math.ceil(from / PART)));
    this.cursors = this.cursors.filter((one) => one.tick < from);
  }

  private frame(part: number): State {
    const held = this.frames[part];
    if (held !== undefined) return held;
    const known = this.frames.length - 1;
    let state = known >= 0 ? this.frames[known] : undefined;
    if (state === undefined) {
      state = this.begin();
      this.advance(state, -1);
      this.frames[0] = state;
    }
    for (let k = this.frames.length; k <= part; k++) {
      state = copy(state);
      this.advance(state, k * PART - 1);
      this.frames[k] = state;
    }
    return state;
  }

  /** Before the first event: nobody is there yet. */
  private begin(): State {
    const { head, town } = this.recording;
    const count = head.people.length;
    const learned = new Int32Array(count * head.facts.length).fill(NEVER);
    head.people.forEach((person, i) => {
      for (const fact of person.knows) learned[i * head.facts.length + fact] = 0;
    });
    return {
      tick: -2,
      x: new Int16Array(count).fill(-1),
      y: new Int16Array(count).fill(-1),
      place: new Int16Array(count).fill(-1),
      doing: new Array<string>(count).fill(""),
      emoji: new Array<string>(count).fill(""),
      asleep: new Uint8Array(count),
      present: new Uint8Array(count),
      conversation: new Int32Array(count).fill(-1),
      objectState: town.objects.map((object) => object.state),
      learned,
    };
  }

  private advance(state: State, tick: Tick): void {
    const { events } = this.recording;
    for (let at = this.recording.firstEvent(state.tick + 1); at < events.length; at++) {
      const event = events[at];
      if (event === undefined || event[1] > tick) break;
      this.apply(state, event);
    }
    state.tick = tick;
  }

  private apply(state: State, [, tick, kind, agent, data]: EventRow): void {
    switch (kind) {
      case "start":
      case "join":
      case "put":
        state.present[agent] = 1;
        state.doing[agent] = String(data["doing"] ?? "");
        state.emoji[agent] = String(data["emoji"] ?? "");
        state.asleep[agent] = data["asleep"] === true ? 1 : 0;
        break;
      case "part":
        state.present[agent] = 0;
        state.conversation[agent] = -1;
        break;
      case "doing":
        state.doing[agent] = String(data["doing"] ?? "");
        state.emoji[agent] = String(data["emoji"] ?? "");
        break;
      case "sleep":
        state.asleep[agent] = 1;
        break;
      case "wake":
        state.asleep[agent] = 0;
        break;
      case "object": {
        const object = this.recording.findObject(String(data["object"]));
        if (object >= 0) state.objectState[object] = String(data["state"]);
        break;
      }
      case "converse":
        state.conversation[agent] = Number(data["conversation"]);
        break;
      case "leave":
        if (state.conversation[agent] === Number(data["conversation"])) state.conversation[agent] = -1;
        break;
      case "learn": {
        const fact = this.recording.findFact(String(data["fact"]));
        const at = agent * this.recording.head.facts.length + fact;
        if (fact >= 0 && (state.learned[at] ?? 0) > tick) state.learned[at] = Math.max(0, tick);
        break;
      }
    }
  }

  private place(state: State): void {
    const at = this.recording.positions(state.tick);
    if (at === undefined) return;
    const { width } = this.recording.town;
    for (let i = 0; i < state.x.length; i++) {
      const x = at[2 * i] ?? -1;
      const y = at[2 * i + 1] ?? -1;
      state.x[i] = x;
      state.y[i] = y;
      state.place[i] = this.arena[y * width + x] ?? -1;
    }
  }
}

export function readUtterance(recording: Recording, [event, tick, , agent, data]: EventRow): Utterance {
  const names = (key: string): string[] => (Array.isArray(data[key]) ? (data[key] as string[]) : []);
  return {
    event,
    tick,
    agent,
    text: String(data["text"] ?? ""),
    to: typeof data["to"] === "string" ? data["to"] : null,
    heardBy: names("heard_by").map((name) => recording.findPerson(name)).filter((i) => i >= 0),
    facts: names("facts").map((id) => recording.findFact(id)).filter((f) => f >= 0),
    phone: data["phone"] === true,
  };
}

function copy(state: State): State {
  return {
    tick: state.tick,
    x: state.x.slice(),
    y: state.y.slice(),
    place: state.place.slice(),
    doing: state.doing.slice(),
    emoji: state.emoji.slice(),
    asleep: state.asleep.slice(),
    present: state.present.slice(),
    conversation: state.conversation.slice(),
    objectState: state.objectState.slice(),
    learned: state.learned.slice(),
  };
}
