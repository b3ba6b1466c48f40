// What a screen reader is told: what is said near who is selected, and what that person does.

import { onTick } from "./replay";
import type { Replay } from "./replay";
import type { Store } from "./store";

const PAUSE = 4000; // milliseconds at least between two things that are told by themselves

/** Returns a way to tell something at once. */
export function mountVoice(element: HTMLElement, replay: Replay, store: Store): (text: string) => void {
  const { recording, states } = replay;
  let told = 0; // when
  let before = 0; // the tick up to which everything was told
  let later = 0; // the timer of what has to wait
  const say = (text: string): void => {
    element.textContent = text;
    told = performance.now();
  };
  const tell = (tick: number): void => {
    const { person } = store.get();
    const from = Math.max(before, tick - 60);
    if (tick < before) before = tick;
    if (person < 0 || tick <= from) return;
    const wait = PAUSE - (performance.now() - told);
    if (told > 0 && wait > 0) {
      clearTimeout(later);
      later = window.setTimeout(() => tell(Math.floor(store.get().time)), wait);
      return;
    }
    before = tick;
    const heard = states.spoken(from + 1, tick).filter((said) => said.agent === person || said.heardBy.includes(person));
    const last = heard[heard.length - 1];
    const name = recording.head.people[person]?.name ?? "";
    if (last !== undefined) say(`${recording.head.people[last.agent]?.name ?? ""}: ${last.text}`);
    else {
      const did = recording.eventsIn(from + 1, tick, "doing").filter((event) => event[3] === person).pop();
      if (did !== undefined) say(`${name}: ${String(did[4]["doing"] ?? "")}`);
    }
  };
  onTick(store, tell, ["person"], 500);
  return say;
}
