// What lies over the map: the name of what one points at, and the card of a thing with its states.

import { make, makeButton } from "./dom";
import type { Hit, TownMap } from "./map/town_map";
import { onTick } from "./replay";
import type { Replay } from "./replay";
import type { Store } from "./store";

const MOST = 200; // states listed

/** Tells the name of what one points at: who does what, or which thing is in which state. */
export function mountTip(element: HTMLElement, map: TownMap, replay: Replay, store: Store): void {
  const tip = make("div", { class: "tip", hidden: true });
  element.append(tip);
  const tell = ({ agent, object, event }: Hit): string => {
    const now = replay.states.at(store.get().time);
    if (event >= 0) return "why?";
    if (agent >= 0) {
      const doing = now.asleep[agent] === 1 ? "asleep" : (now.doing[agent] ?? "");
      return `${replay.recording.head.people[agent]?.name ?? ""}${doing === "" ? "" : `: ${doing}`}`;
    }
    if (object >= 0) return `${replay.recording.town.objects[object]?.name ?? ""}: ${now.objectState[object] ?? ""}`;
    return "";
  };
  map.onHover = (hit, x, y) => {
    const text = tell(hit);
    tip.hidden = text === "";
    if (text === "") return;
    if (tip.textContent !== text) tip.textContent = text;
    const wide = tip.offsetWidth;
    tip.style.left = `${Math.max(4, Math.min(element.clientWidth - wide - 4, x + 14))}px`;
    tip.style.top = `${y + 34 > element.clientHeight ? y - 38 : y + 14}px`;
  };
}

/** The card of the thing that is chosen: what it is like now, and what it was like when. */
export function mountObjectCard(element: HTMLElement, replay: Replay, store: Store): void {
  const { recording, states, calendar, clock } = replay;
  const title = make("h2", {});
  const place = make("p", { class: "place" });
  const now = make("p", { class: "state" });
  const list = make("ol", { class: "states", tabindex: 0 });
  const card = make(
    "section",
    { class: "card", "aria-label": "Thing", hidden: true },
    makeButton("Close", () => store.set({ object: -1 }), { sign: "×", class: "close" }),
    title,
    place,
    now,
    list,
  );
  element.append(card);
  let rows: { tick: number; item: HTMLElement }[] = [];

  const fill = (): void => {
    const chosen = store.get().object;
    const object = recording.town.objects[chosen];
    card.hidden = object === undefined;
    if (object === undefined) return;
    const arena = recording.town.arenas[object.arena];
    title.textContent = `${object.emoji} ${object.name}`.trim();
    place.textContent = (arena?.id ?? "").replaceAll("/", ", ");
    const history = states.history(chosen);
    const days = new Set(history.map(({ tick }) => calendar.day(tick))).size > 1;
    rows = history.slice(-MOST).map(({ tick, state, agent }) => {
      const when = make("time", {}, days ? `${calendar.day(tick)} ${calendar.clock(tick)}` : calendar.clock(tick));
      const who = agent < 0 ? "" : ` · ${recording.head.people[agent]?.name ?? ""}`;
      const button = make("button", { type: "button" }, when, ` ${state}`, make("span", { class: "who" }, who));
      button.addEventListener("click", () => clock.seek(tick));
      return { tick, item: make("li", {}, button) };
    });
    list.replaceChildren(...rows.map(({ item }) => item));
    show();
  };
  const show = (): void => {
    const { object, time } = store.get();
    if (card.hidden) return;
    now.textContent = `now: ${states.at(time).objectState[object] ?? ""}`;
    const current = rows.filter(({ tick }) => tick <= time).pop();
    for (const row of rows) {
      row.item.classList.toggle("later", row.tick > time);
      row.item.toggleAttribute("aria-current", row === current);
    }
  };
  store.subscribe((_, changed) => {
    if (changed.has("object")) fill();
  });
  onTick(store, show);
  recording.onGrow(fill);
  fill();
}
