// Puts the page together: what is recorded, the clock, the map, the timeline and the panels.

import { Actions } from "./actions";
import { keepAddress, readAddress } from "./address";
import { mountObjectCard, mountTip } from "./cards";
import { mountControls, mountMapButtons } from "./controls";
import { make } from "./dom";
import { mountHeader } from "./header";
import { mountLive } from "./live";
import { layOut } from "./layout";
import { TownMap } from "./map/town_map";
import { Marks } from "./marks";
import { mountPanels } from "./panels/index";
import { exposeProbe } from "./probe";
import { openReplay } from "./replay";
import type { Replay } from "./replay";
import { Store } from "./store";
import { Strip } from "./strip";
import { mountVoice } from "./voice";

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
  const given = readAddress(location.hash, recording.head);
  const layout = layOut(app, store);
  const map = new TownMap(layout.map, replay, store);
  const marks = new Marks(recording);
  const actions = new Actions(replay, store, map, marks, mountVoice(layout.live, replay, store));
  mountHeader(layout.header, replay, store);
  mountTip(layout.map, map, replay, store);
  mountObjectCard(layout.map, replay, store);
  mountMapButtons(layout.map, map, store, actions);
  mountControls(layout.timeline, replay, store, marks, actions);
  mountLive(layout.timeline, replay, store);
  new Strip(layout.timeline, replay, store, marks);
  const probe = exposeProbe(replay, store, map);
  const { playing = false, ...still } = given;
  store.set(still);

  const frame = (now: number): void => {
    clock.frame(now);
    map.frame(now);
    requestAnimationFrame(frame);
  };
  const paint = (): void => {
    map.start();
    frame(performance.now());
    probe.painted = performance.now();
    mountPanels(layout, replay, store);
  };
  await recording.load(given.time ?? (clock.live ? clock.recent : 0), paint);
  if (given.time === undefined) begin(replay, store);
  else if (given.time > clock.end) clock.seek(clock.end);
  if (playing) store.set({ playing }); // now that there is something to play
  keepAddress(replay, store);
  probe.ready = true;
  app.dataset["ready"] = ""; // for who cannot ask `window.town` again and again
  void recording.follow();
}

/** Where no moment was asked for: with the end of a live run, else from where people are up and about. */
function begin({ recording, clock }: Replay, store: Store): void {
  if (clock.live) {
    clock.followEnd(clock.recent);
    return;
  }
  const first = recording.events.find((event) => event[2] === "wake" || event[2] === "say" || (event[2] === "doing" && event[1] > 0));
  if (first !== undefined && first[1] > 30) clock.seek(first[1] - 3);
  store.set({ playing: !matchMedia("(prefers-reduced-motion: reduce)").matches });
}

const app = document.getElementById("app");
if (app === null) throw new Error("the page has no place for the town");
open(app).catch((error: unknown) => {
  app.replaceChildren(make("p", { class: "fault", role: "alert" }, `This run cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
});
