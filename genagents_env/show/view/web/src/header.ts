// The header: what the run is, who is in town, whether it is live, the clock, and whom one follows.

import { make } from "./dom";
import { onTick } from "./replay";
import type { Replay } from "./replay";
import type { Store } from "./store";

const STATES: Record<string, string> = {
  running: "live",
  killed: "killed",
  paused: "paused",
  budget_exhausted: "budget used up",
  interrupted: "interrupted",
  failed: "failed",
  finished: "",
};

export function mountHeader(element: HTMLElement, replay: Replay, store: Store): void {
  const { recording, states, calendar, clock } = replay;
  const counts = make("span", { class: "counts" });
  const badge = make("button", { type: "button", class: "badge", hidden: true });
  const time = make("time", { class: "town-time" });
  const people = makePicker(replay, store);
  element.append(make("h1", {}, recording.head.title), badge, counts, people, time);
  badge.addEventListener("click", () => clock.followEnd());

  const show = (): void => {
    const tick = Math.floor(store.get().time);
    const now = states.at(tick);
    let here = 0;
    let asleep = 0;
    for (let i = 0; i < now.present.length; i++) {
      here += now.present[i] ?? 0;
      asleep += (now.present[i] ?? 0) & (now.asleep[i] ?? 0);
    }
    counts.textContent = `${here} in town, ${asleep} asleep · tick ${tick}`;
    const day = make("span", { class: "day" }, `${calendar.day(tick)} `);
    time.replaceChildren(day, calendar.clockWithSeconds(tick));
    time.dateTime = calendar.date(tick).toISOString().slice(0, 19);
  };
  const showBadge = (): void => {
    const { state } = recording.head.status;
    const label = STATES[state] ?? state;
    badge.hidden = label === "" || (state === "running" && !recording.head.live);
    badge.className = `badge badge-${state}`;
    badge.disabled = !clock.live || clock.following;
    badge.textContent = label;
    badge.title = !clock.live ? `The run is ${label}.` : clock.following ? "The page goes along with the run, ten seconds behind it at most." : "Go to the end of the run and keep to it.";
  };
  onTick(store, show, [], 100);
  store.subscribe((_, changed) => {
    if (changed.has("time") || changed.has("playing")) badge.disabled = !clock.live || clock.following;
  });
  recording.onGrow(() => {
    show();
    showBadge();
  });
  show();
  showBadge();
}

/** The people in a list: whoever cannot point at the map chooses there. */
function makePicker(replay: Replay, store: Store): HTMLElement {
  const { people } = replay.recording.head;
  const select = make("select", { class: "picker", "aria-label": "Person to look at" });
  select.append(make("option", { value: -1 }, "everyone"));
  const order = people.map((_, i) => i).sort((a, b) => (people[a]?.name ?? "").localeCompare(people[b]?.name ?? ""));
  for (const i of order) select.append(make("option", { value: i }, people[i]?.name ?? ""));
  select.addEventListener("change", () => {
    const person = Number(select.value);
    store.set(person < 0 ? { person, follow: false } : { person, follow: true, panel: "person" });
  });
  store.subscribe((look, changed) => {
    if (changed.has("person")) select.value = String(look.person);
  });
  return select;
}
