// `window.town`: what the page shows, to be read by tests and from the console. It changes nothing but the clock.

import type { Replay } from "./replay";
import type { Store } from "./store";
import type { TownMap } from "./map/town_map";
import type { Tick } from "./protocol";

export interface Probe {
  /** Whether everything recorded when the page was opened is loaded. */
  ready: boolean;
  /** Milliseconds from the navigation to the first picture with people; -1 before. */
  painted: number;
  at(tick: Tick): {
    tick: Tick;
    positions: [number, number][];
    doing: string[];
    emoji: string[];
    present: boolean[];
    asleep: boolean[];
    conversation: number[];
    objectStates: Record<string, string>;
    knows: string[][];
  };
  /** Columns and rows of everyone at a time between two ticks. */
  positions(time: number): number[];
  /** Where on the page each person in the window of the map is drawn, by name. */
  spots(): Record<string, [number, number]>;
  /** Where on the page a tile lies. */
  place(x: number, y: number): [number, number];
  seek(tick: Tick): void;
  look(): Record<string, unknown>;
  /** Milliseconds that the last frames took to draw. */
  costs(): number[];
}

export function exposeProbe(replay: Replay, store: Store, map: TownMap): Probe {
  const { recording, states, clock } = replay;
  const { people, facts } = recording.head;
  const probe: Probe = {
    ready: false,
    painted: -1,
    at(tick) {
      const now = states.at(tick);
      return {
        tick: now.tick,
        positions: people.map((_, i) => [now.x[i] ?? -1, now.y[i] ?? -1]),
        doing: [...now.doing],
        emoji: [...now.emoji],
        present: [...now.present].map((one) => one === 1),
        asleep: [...now.asleep].map((one) => one === 1),
        conversation: [...now.conversation],
        objectStates: Object.fromEntries(recording.town.objects.map((object, o) => [object.id, now.objectState[o] ?? ""])),
        knows: people.map((_, i) => facts.filter((__, f) => states.knows(now, i, f)).map((fact) => fact.id)),
      };
    },
    positions(time) {
      const found = new Float32Array(2 * people.length);
      map.motion.find(time, found);
      return [...found];
    },
    spots() {
      const { left, top } = map.canvas.getBoundingClientRect();
      return Object.fromEntries(
        map.people.shown.map((i) => [people[i]?.name ?? "", [left + (map.people.spots[2 * i] ?? 0), top + (map.people.spots[2 * i + 1] ?? 0)]]),
      );
    },
    place(x, y) {
      const { left, top } = map.canvas.getBoundingClientRect();
      return [left + map.camera.toScreenX(x + 0.5), top + map.camera.toScreenY(y + 0.5)];
    },
    seek: (tick) => clock.seek(tick),
    look: () => ({ ...store.get() }),
    costs: () => [...map.costs],
  };
  (window as unknown as { town: Probe }).town = probe;
  return probe;
}
