// The address of a moment: #t=6120&p=Klaus&z=24, read and written.
//
//   t      the tick
//   p      who is selected: a name, or the beginning of one that nobody else's name has
//   z      pixels a tile; left out where the whole town is shown
//   f      the fact whose knowers are lit, by its id
//   tab    the panel: story, person, facts, costs
//   follow the map keeps to who is selected
//   play   plays from there, at so many simulated seconds a second (read, never written)

import { TABS } from "./layout";
import type { Head } from "./protocol";
import type { Replay } from "./replay";
import type { Look, Store } from "./store";

const PAUSE = 500; // milliseconds at least between two writings

/** What an address says, as far as it can be understood. */
export function readAddress(hash: string, head: Pick<Head, "people" | "facts">): Partial<Look> {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const look: Partial<Look> = {};
  const time = readNumber(given.get("t"));
  if (time !== undefined) look.time = Math.max(0, time);
  const zoom = readNumber(given.get("z"));
  if (zoom !== undefined) look.zoom = Math.max(0, Math.min(96, zoom));
  const name = given.get("p");
  if (name !== null) look.person = findPerson(name, head.people.map((person) => person.name));
  const fact = given.get("f");
  if (fact !== null) look.fact = head.facts.findIndex((one) => one.id === fact);
  const tab = TABS.find(({ panel }) => panel === given.get("tab"));
  if (tab !== undefined) look.panel = tab.panel;
  if (given.has("follow") && (look.person ?? -1) >= 0) look.follow = true;
  const play = given.has("play") ? (readNumber(given.get("play")) ?? 60) : undefined;
  if (play !== undefined) Object.assign(look, { playing: true, speed: Math.max(1, Math.min(500, play || 60)) });
  return look;
}

export function writeAddress(look: Readonly<Look>, head: Pick<Head, "people" | "facts">): string {
  const parts = [`t=${Math.floor(look.time)}`];
  const name = head.people[look.person]?.name;
  if (name !== undefined) parts.push(`p=${encode(shortenName(name, head.people.map((person) => person.name)))}`);
  if (look.zoom > 0) parts.push(`z=${Math.round(look.zoom * 10) / 10}`);
  const fact = head.facts[look.fact];
  if (fact !== undefined) parts.push(`f=${encode(fact.id)}`);
  if (look.panel !== "story") parts.push(`tab=${look.panel}`);
  if (look.follow && name !== undefined) parts.push("follow=1");
  return `#${parts.join("&")}`;
}

/** Whose name it is or begins; -1 where nobody's or several people's does. */
export function findPerson(name: string, names: string[]): number {
  const wanted = name.trim().toLowerCase();
  const exact = names.findIndex((one) => one.toLowerCase() === wanted);
  if (exact >= 0 || wanted === "") return exact;
  const found = names.flatMap((one, i) => (one.toLowerCase().startsWith(wanted) ? [i] : []));
  return found.length === 1 ? (found[0] ?? -1) : -1;
}

function shortenName(name: string, names: string[]): string {
  const first = name.split(" ")[0] ?? name;
  return findPerson(first, names) >= 0 ? first : name;
}

function readNumber(text: string | null): number | undefined {
  if (text === null || !/^\d{1,9}(\.\d{1,6})?$/.test(text)) return undefined;
  return Number(text);
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll("%20", "+");
}

/** Keeps the address in step; whom and what one looks at makes a step to which "back" leads. */
export function keepAddress(replay: Replay, store: Store): void {
  const { head } = replay.recording;
  let waiting = 0;
  let pushing = false;
  const write = (): void => {
    waiting = 0;
    const hash = writeAddress(store.get(), head);
    if (hash === location.hash) return;
    if (pushing) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
    pushing = false;
  };
  let reading = false;
  store.subscribe((look, changed) => {
    if (reading) return;
    if (changed.has("person") || changed.has("fact") || changed.has("panel")) pushing = true;
    const matters = pushing || changed.has("zoom") || changed.has("follow") || changed.has("playing") || (changed.has("time") && !look.playing);
    if (matters && waiting === 0) waiting = window.setTimeout(write, PAUSE);
  });
  window.addEventListener("popstate", () => {
    reading = true;
    const look = readAddress(location.hash, head);
    if (look.time !== undefined) replay.clock.seek(look.time);
    const { time: _, ...rest } = look;
    store.set({ person: -1, fact: -1, zoom: 0, follow: false, panel: "story", ...rest });
    reading = false;
  });
}
