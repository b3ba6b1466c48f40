// What the viewer looks at: one value, one way to change it, and those who want to know.

import type { AgentIndex, EventId } from "./protocol";

export type Panel = "story" | "person" | "facts" | "costs";

export interface Look {
  time: number; // in ticks, with a fraction between two of them
  playing: boolean;
  speed: number; // simulated seconds a second: 1 to 500 times
  person: AgentIndex | -1;
  follow: boolean; // whether the map keeps to that person
  fact: number; // whose knowers are lit on the map; -1 for none
  object: number; // whose states are shown; -1 for none
  event: EventId; // of which "why?" is asked; -1 for none
  panel: Panel;
  zoom: number; // pixels a tile; 0 fits the town into the window
}

type Listener = (look: Look, changed: ReadonlySet<keyof Look>) => void;

export class Store {
  private listeners: Listener[] = [];

  constructor(private look: Look) {}

  get(): Readonly<Look> {
    return this.look;
  }

  set(change: Partial<Look>): void {
    const changed = new Set<keyof Look>();
    for (const key of Object.keys(change) as (keyof Look)[]) {
      if (!Object.is(this.look[key], change[key])) changed.add(key);
    }
    if (changed.size === 0) return;
    this.look = { ...this.look, ...change };
    for (const listener of this.listeners) listener(this.look, changed);
  }

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }
}
