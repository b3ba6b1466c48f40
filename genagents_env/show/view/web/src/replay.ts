// All that is known of the run, in one hand: what the map, the timeline and the panels are given.

import { Calendar } from "./calendar";
import { Clock } from "./clock";
import { Recording } from "./recording";
import { States } from "./state";
import type { Store } from "./store";

export interface Replay {
  recording: Recording; // what is recorded
  states: States; // the town at any tick
  calendar: Calendar; // town time of a tick
  clock: Clock; // seek, step, play
}

export async function openReplay(store: Store): Promise<Replay> {
  const recording = await Recording.open();
  return {
    recording,
    states: new States(recording),
    calendar: new Calendar(recording.head),
    clock: new Clock(store, recording),
  };
}

/** Calls `show` when a new tick is shown, at most so often, and whenever one of `keys` changed. */
export function onTick(store: Store, show: (tick: number) => void, keys: string[] = [], everyMs = 200): void {
  let shown = Math.floor(store.get().time);
  let last = 0;
  let waiting = false;
  const run = (): void => {
    waiting = false;
    last = performance.now();
    shown = Math.floor(store.get().time);
    show(shown);
  };
  store.subscribe((look, changed) => {
    if (keys.some((key) => (changed as ReadonlySet<string>).has(key))) run();
    else if (changed.has("time") && Math.floor(look.time) !== shown && !waiting) {
      waiting = true;
      setTimeout(run, Math.max(0, everyMs - (performance.now() - last)));
    }
  });
}
