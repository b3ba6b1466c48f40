// The buttons below the map: play, step, speed, skip; and those on the map: zoom, whole town, follow.

import { SPEEDS } from "./clock";
import { SKIPS } from "./actions";
import type { Actions } from "./actions";
import { make, makeButton } from "./dom";
import { makeIcon, makeIconButton } from "./icons";
import type { TownMap } from "./map/town_map";
import type { Marks } from "./marks";
import type { Replay } from "./replay";
import type { Store } from "./store";

export function mountControls(element: HTMLElement, replay: Replay, store: Store, marks: Marks, actions: Actions): void {
  const { clock, recording } = replay;
  const play = makeIconButton("play", "Play", () => clock.toggle(), "round play");
  const showPlay = (): void => {
    const { playing } = store.get();
    play.replaceChildren(makeIcon(playing ? "pause" : "play"));
    play.setAttribute("aria-label", playing ? "Pause" : "Play");
    play.title = playing ? "Pause (space)" : "Play (space)";
  };
  const speed = make("select", { class: "speed", "aria-label": "Speed, in simulated seconds a second", title: "Simulated seconds a second" });
  const showSpeed = (): void => {
    const now = store.get().speed;
    const choices = SPEEDS.includes(now) ? SPEEDS : [...SPEEDS, now].sort((a, b) => a - b);
    speed.replaceChildren(...choices.map((one) => make("option", { value: one, selected: one === now }, `${one}×`)));
  };
  speed.addEventListener("change", () => store.set({ speed: Number(speed.value) }));
  const skips = SKIPS.map(({ mark, label, key }) => {
    const button = makeButton(label, () => undefined, { class: "skip", title: `Next ${label} (${key}); with Shift the previous` });
    button.append(make("span", { "aria-hidden": "true" }, " ›"));
    button.setAttribute("aria-label", `Next ${label}`);
    button.addEventListener("click", (click) => actions.skip(mark, click.shiftKey ? -1 : 1));
    return { mark, button };
  });
  const showSkips = (): void => {
    for (const { mark, button } of skips) button.disabled = marks.moments[mark].length === 0;
  };
  const help = makeButton("Keys and signs", () => actions.showHelp(), { sign: "?", class: "round quiet" });
  element.prepend(
    make(
      "div",
      { class: "controls" },
      makeIconButton("back", "A tick back (,)", () => clock.step(-1), "round quiet"),
      play,
      makeIconButton("forward", "A tick on (.)", () => clock.step(1), "round quiet"),
      speed,
      make("span", { class: "skips", role: "group", "aria-label": "Skip to the next" }, make("span", { class: "skips-label", "aria-hidden": "true" }, "next"), ...skips.map(({ button }) => button)),
      help,
    ),
  );
  store.subscribe((_, changed) => {
    if (changed.has("playing")) showPlay();
    if (changed.has("speed")) showSpeed();
  });
  recording.onGrow(showSkips);
  showPlay();
  showSpeed();
  showSkips();
}

export function mountMapButtons(element: HTMLElement, map: TownMap, store: Store, actions: Actions): void {
  const follow = makeIconButton("follow", "Follow who is selected (w)", () => actions.toggleFollow());
  const show = (): void => {
    const { person, follow: on } = store.get();
    follow.hidden = person < 0;
    follow.setAttribute("aria-pressed", String(on));
  };
  element.append(
    make(
      "div",
      { class: "map-buttons", role: "group", "aria-label": "Zoom" },
      follow,
      makeIconButton("plus", "Nearer (+)", () => map.zoom(1.5)),
      makeIconButton("minus", "Further away (-)", () => map.zoom(1 / 1.5)),
      makeIconButton("whole", "The whole town (0)", () => map.fit()),
    ),
  );
  store.subscribe((_, changed) => {
    if (changed.has("person") || changed.has("follow")) show();
  });
  show();
}
