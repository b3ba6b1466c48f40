// Puts the page together: what is recorded, the clock, the map, the timeline and the panels.

import { make } from "./dom";
import { layOut } from "./layout";
import { TownMap } from "./map/town_map";
import { mountPanels } from "./panels/index";
import { openReplay } from "./replay";
import { Store } from "./store";

async function open(app: HTMLElement): Promise<void> {
  const store = new Store({
    time: 0,
    playing: false,
    speed: 60,
    person: -1,
    follow: false,
    fact: -1,
    object: -1,
    event: -1,
    panel: "story",
    zoom: 0,
  });
  const replay = await openReplay(store);
  const { recording, clock } = replay;
  document.title = recording.head.title;
  const layout = layOut(app, store);
  layout.header.append(make("h1", {}, recording.head.title));
  const map = new TownMap(layout.map, replay, store);
  const frame = (now: number): void => {
    clock.frame(now);
    map.frame(now);
    requestAnimationFrame(frame);
  };
  Object.assign(window, { dev: { map, store, replay } });
  await recording.load(store.get().time, () => {
    requestAnimationFrame(frame);
    mountPanels(layout, replay, store);
  });
  void recording.follow();
}

const app = document.getElementById("app");
if (app === null) throw new Error("the page has no place for the town");
open(app).catch((error: unknown) => {
  app.replaceChildren(make("p", { class: "fault", role: "alert" }, `This run cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
});
