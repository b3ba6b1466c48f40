// What of a run is worth finding: talk, gatherings, interventions, first hearings, and the model
// calls that changed a plan, reflected, or came to nothing. The timeline shows them, skipping uses them.

import type { AgentIndex, CallRow, Tick } from "./protocol";
import type { Recording } from "./recording";

export type Mark = "talk" | "plan" | "reflection" | "fallback";

export interface Moment {
  tick: Tick;
  agent: AgentIndex | -1;
}

export interface FactMoment extends Moment {
  fact: number;
}

export interface Intervention extends Moment {
  kind: string;
  text: string;
}

const CHANGES = /^(plan\.(?!pieces)|controller\.)/; // of the purposes: of a plan, or of what one is after
const OUTSIDE = new Set(["news", "whisper", "put", "join", "part"]);
const REFLECTIONS = /^reflect/;

export class Marks {
  moments: Record<Mark, Moment[]> = { talk: [], plan: [], reflection: [], fallback: [] };
  learned: FactMoment[] = [];
  interventions: Intervention[] = [];

  constructor(private readonly recording: Recording) {
    recording.onGrow(() => this.gather());
    this.gather();
  }

  /** The next moment of a kind after a tick (or the one before it), of one person where given. */
  find(mark: Mark, tick: number, direction: 1 | -1, agent: AgentIndex | -1 = -1): Moment | undefined {
    const own = this.moments[mark].filter((moment) => agent < 0 || moment.agent === agent);
    return direction > 0 ? own.find((moment) => moment.tick > tick) : own.reverse().find((moment) => moment.tick < tick);
  }

  /** How much was said in each of so many equal stretches of the first `until` ticks. */
  countTalk(stretches: number, until: Tick, agent: AgentIndex | -1 = -1): Float32Array {
    const counts = new Float32Array(stretches);
    for (const { tick, agent: speaker } of this.moments.talk) {
      if (agent >= 0 && speaker !== agent) continue;
      const at = Math.min(stretches - 1, Math.floor((tick / Math.max(1, until)) * stretches));
      counts[at] = (counts[at] ?? 0) + 1;
    }
    return counts;
  }

  private gather(): void {
    const talk: Moment[] = [];
    this.learned = [];
    this.interventions = [];
    for (const [, tick, kind, agent, data] of this.recording.events) {
      if (kind === "say") talk.push({ tick, agent });
      else if (kind === "learn") this.learned.push({ tick, agent, fact: this.recording.findFact(String(data["fact"])) });
      else if (OUTSIDE.has(kind) || (kind === "object" && agent < 0 && tick > 0)) {
        const thing = `${String(data["object"]).split("/").at(-1)} is now ${String(data["state"])}`;
        this.interventions.push({ tick, agent, kind, text: kind === "object" ? thing : String(data["text"] ?? "") });
      }
    }
    const { calls } = this.recording;
    const choose = (fits: (call: CallRow) => boolean): Moment[] => thin(calls.filter((call) => call.tick > 0 && fits(call)));
    this.moments = {
      talk,
      plan: choose((call) => CHANGES.test(call.purpose)),
      reflection: choose((call) => REFLECTIONS.test(call.purpose)),
      fallback: choose((call) => call.outcome === "fallback"),
    };
  }
}

/** One moment of each tick and person, in order. */
function thin(calls: CallRow[]): Moment[] {
  const found = new Map<string, Moment>();
  for (const { tick, agent } of calls) found.set(`${tick}/${agent}`, { tick, agent });
  return [...found.values()].sort((a, b) => a.tick - b.tick || a.agent - b.agent);
}
