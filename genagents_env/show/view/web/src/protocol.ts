// What the page is given, resource by resource: the one contract between it and genagents_env/show/view.
//
// A resource has a name, such as `head` or `events/3`. The server answers GET /data/NAME; the
// exported file holds each as <script type="application/octet-stream" id="data-NAME">, gzip in base64.
// All are JSON but `ticks/K`. Agents, arenas and objects are indices into the lists of `head` and
// `town`; ticks are whole numbers, 0 is the start. Nothing in them is markup: it is all plain text.
// The server answers 404 to what is no resource, 503 as long as the run has not begun: ask again.

/** Ticks in one part of `ticks/K`, `events/K`, `calls/K`: part K has those from K * PART on. */
export const PART = 512;

export type Tick = number;
export type AgentIndex = number;
export type EventId = number;

/** `head`: what the run is. Changes only in `status` while a run is written. */
export interface Head {
  title: string; // of the scenario
  scenario: string; // its name
  start: string; // town time of tick 0, ISO 8601 without a zone
  secondsPerTick: number;
  tilesPerTick: number; // how far people walk
  visionRadius: number;
  seed: number;
  horizon: Tick; // at which it ends
  status: Status;
  live: boolean; // whether `status` may change: false in an exported file
  steered: boolean; // whether the page may give commands to the town (live.ts)
  model: string | null;
  versions: Record<string, string>;
  people: Person[];
  facts: Fact[];
}

/** `status`: how far the run is; asked again and again while it is written. */
export interface Status {
  state: "running" | "killed" | "finished" | "paused" | "budget_exhausted" | "interrupted" | "failed";
  lastTick: Tick; // -1 before the first
  events: number;
  calls: number;
  // Counted up where what was given before does not hold any more (the file was replaced, or the
  // run was resumed from an earlier tick and came out otherwise): load the page anew.
  revision: number;
}

export interface Person {
  name: string;
  initials: string;
  color: string; // "#rrggbb", as pictures draw them
  sprite: string | null; // a PNG as data URL
  age: number | null;
  about: string; // who they are, as the scenario says
  home: string; // full id of a place, or ""
  policy: string; // who decides for them
  knows: number[]; // facts known at the start, indices of `facts`
}

export interface Fact {
  id: string;
  text: string;
  color: string;
}

/** `town`: the ground, which never changes. Bytes are base64; tiles go row by row from the top. */
export interface Town {
  width: number;
  height: number;
  arena: string; // little-endian uint16 a tile: index of `arenas`; 0 is the open ground
  blocked: string; // a byte a tile: 0 free, 1 hedge or other blocked ground, 2 wall
  doors: [number, number][];
  sectors: { name: string }[];
  arenas: { id: string; name: string; sector: number; openAir: boolean; color: string }[];
  objects: TownObject[];
  colors: Record<string, string>; // wall, door, sign, ink, paper, ... as pictures have them
}

export interface TownObject {
  id: string;
  name: string;
  arena: number;
  tiles: [number, number][];
  emoji: string;
  state: string; // at the start
}

// `ticks/K`: bytes, little-endian int16: for each tick of the part that is recorded, in order, x and
// y of every agent (row by row: tick, agent, axis). Tick 0 is where everyone starts.

/** `events/K`: the events of the part's ticks, ordered by id; `data` as world/events.py lists it. */
export interface Events {
  events: EventRow[];
}
export type EventRow = [id: EventId, tick: Tick, kind: string, agent: AgentIndex | -1, data: EventData];
export type EventData = Record<string, unknown>;

/** `story`: the run as scenes by place and talk, ordered by start. */
export interface Story {
  until: Tick; // as far as it is told
  scenes: Scene[];
}
export interface Scene {
  first: Tick;
  last: Tick;
  kind: string; // talk, gathering, activity, sleep, intervention
  place: string; // id of an arena or a sector; "" where there is none, or several
  people: AgentIndex[];
  title: string; // one line
  gathering: string | null; // the id of the gathering that it is, or that a talk was part of
  lines: SceneLine[];
}
export interface SceneLine {
  tick: Tick;
  agent: AgentIndex | -1;
  kind: string; // come, say, learn, doing, visit, sleep, wake, news, whisper, put, join, part, object
  text: string; // of say, news and whisper the words; else to be read after the agent's name
  event: EventId | -1;
  facts: number[]; // of say those recognised in it, of learn the one heard for the first time
  other: string; // of say whom the speaker addressed, of learn who said it, of come from which place
}

/** `calls/K`: the model calls of the part's ticks, without their texts, ordered by tick, agent, purpose and number. */
export interface Calls {
  calls: CallRow[];
}
export interface CallRow {
  agent: AgentIndex | -1;
  tick: Tick;
  purpose: string; // faculty, up to the first dot
  number: number;
  outcome: string; // "fallback" where a rule stood in
  promptTokens: number;
  completionTokens: number;
  dollars: number | null; // null where the price is not known
  seconds: number; // waited for the model
  model: string;
}

/** `prompts/AGENT/K`: the texts of an agent's calls in the ticks of part K, in the order of `calls/K`. */
export interface Prompts {
  prompts: { tick: Tick; purpose: string; number: number; messages: { role: string; content: string }[]; reply: string; fault: string | null }[];
}

/** `person/AGENT`: what a mind holds, over the whole run; show of it what is not after the clock. */
export interface Mind {
  until: Tick; // the tick of the state that memories and plan were read from; -1 where there is none
  note: string; // said where something is not to be had, and why
  memories: Memory[]; // ordered by tick
  plans: Plan[]; // ordered by `made`
  acquaintances: { agent: AgentIndex; since: Tick; text: string }[]; // ordered by `since`; the last of an agent holds
  interviews: { tick: Tick; question: string; answer: string; evidence: EventId[]; note: string }[]; // `note`: how it was asked, where not in the run
}
export interface Memory {
  id: number;
  tick: Tick; // made; -1 where it was brought along
  kind: string; // observation, thought, chat, plan, ...
  text: string;
  importance: number | null; // 1 to 10
  evidence: number[]; // ids of the memories that it rests on
  events: EventId[]; // ids of the events that it comes from
  call: { tick: Tick; purpose: string; number: number } | null; // that wrote it, where that is kept
}
export interface Plan {
  made: Tick;
  title: string; // "the day", "the next hours", ...
  items: { start: string; end: string; text: string }[]; // times "HH:MM", or ""
}

/** `percept/AGENT/TICK`: what an agent perceived as that tick ended, in words; the town is stepped again for it. */
export interface Percept {
  text: string;
  note: string; // said where there is none, and why
  pending: boolean; // it is being rebuilt: ask again
}

/** `why/AGENT/TICK`: what an agent asked when it decided what it did at that tick, and what that rests on. */
export interface Why {
  tick: Tick; // of the percept: the end of the tick before
  note: string; // said where nothing was begun at that tick
  asked: string; // said of the calls: where there is none, or none that is known to have led to the act
  calls: { tick: Tick; purpose: string; number: number }[]; // that led to the act, oldest first
  recalled: number[]; // ids of the memories that stand in those prompts
  events: EventId[]; // what was perceived and bears on it
}

/** `whys/AGENT`: those of every tick at which an agent did something it was asked about; an exported file has no other. */
export interface Whys {
  whys: Record<string, Why>; // by the tick of the act
}

/** `gatherings`: when several people were together at a place, for the timeline. */
export interface Gatherings {
  gatherings: { first: Tick; last: Tick; place: string; people: AgentIndex[] }[];
}

/** `notices`: what to know of the run. */
export interface Notices {
  notices: string[]; // what was degraded, cut or left out, a sentence each
}
