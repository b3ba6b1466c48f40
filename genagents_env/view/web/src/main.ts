// Puts the page together: what is recorded, the clock, the map, the timeline and the panels.

import type { Head } from "./protocol";
import { readJson } from "./source";
import { Store } from "./store";

async function open(): Promise<void> {
  const head = await readJson<Head>("head");
  document.title = head.title;
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
  const app = document.getElementById("app");
  if (app === null) throw new Error("the page has no place for the town");
  app.textContent = `${head.title}: ${head.people.length} people, tick ${store.get().time}`;
}

void open();
