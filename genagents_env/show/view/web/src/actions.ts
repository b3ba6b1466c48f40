// What one can do by key or button, each with its words: skipping, following, zooming, and the help.

import { make, makeButton } from "./dom";
import type { TownMap } from "./map/town_map";
import type { Mark, Marks } from "./marks";
import type { Replay } from "./replay";
import type { Store } from "./store";

export const SKIPS: { mark: Mark; label: string; key: string }[] = [
  { mark: "talk", label: "talk", key: "n" },
  { mark: "plan", label: "plan change", key: "p" },
  { mark: "reflection", label: "reflection", key: "r" },
  { mark: "fallback", label: "fallback", key: "f" },
];

const HELP: [string, string][] = [
  ["Space", "play, pause"],
  [", .", "a tick back, on"],
  ["Home End", "to the start, to the end"],
  ["[ ]", "slower, faster"],
  ...SKIPS.map(({ label, key }): [string, string] => [`${key}  Shift+${key}`, `next, previous ${label} (of who is selected)`]),
  ["j k", "next, previous person"],
  ["w", "follow who is selected, or not"],
  ["Arrows", "move the map (on the timeline: a tick back, on)"],
  ["+ −", "zoom"],
  ["0", "the whole town"],
  ["Esc", "select nobody"],
  ["?", "these keys"],
];

export class Actions {
  private readonly help = makeHelp();

  constructor(
    private readonly replay: Replay,
    private readonly store: Store,
    private readonly map: TownMap,
    private readonly marks: Marks,
    private readonly say: (text: string) => void,
  ) {
    document.body.append(this.help);
    document.addEventListener("keydown", (pressed) => {
      if (!isTyping(pressed) && this.press(pressed)) pressed.preventDefault();
    });
  }

  /** Goes to the next or previous moment of a kind, of who is selected. */
  skip(mark: Mark, direction: 1 | -1): void {
    const { time, person } = this.store.get();
    const label = SKIPS.find((one) => one.mark === mark)?.label ?? mark;
    const found = this.marks.find(mark, direction > 0 ? time : Math.ceil(time), direction, person);
    if (found === undefined) {
      this.say(`No ${direction > 0 ? "further" : "earlier"} ${label}${person < 0 ? "" : ` of ${this.name(person)}`}.`);
      return;
    }
    this.replay.clock.seek(found.tick);
    if (mark !== "talk" && found.agent >= 0) this.store.set({ person: found.agent });
    this.map.show(found.agent);
    this.say(`${this.replay.calendar.clock(found.tick)}, ${label} of ${this.name(found.agent)}`);
  }

  toggleFollow(): void {
    const { person, follow } = this.store.get();
    if (person >= 0) this.store.set({ follow: !follow });
  }

  showHelp(): void {
    if (!this.help.open) this.help.showModal();
  }

  private name(agent: number): string {
    return this.replay.recording.head.people[agent]?.name ?? "the town";
  }

  private changePerson(by: 1 | -1): void {
    const count = this.replay.recording.head.people.length;
    const { person } = this.store.get();
    const next = person < 0 ? (by > 0 ? 0 : count - 1) : (person + by + count) % count;
    this.store.set({ person: next, panel: "person" });
    this.map.show(next);
    const now = this.replay.states.at(this.store.get().time);
    this.say(`${this.name(next)}, ${now.asleep[next] === 1 ? "asleep" : (now.doing[next] ?? "")}`);
  }

  /** Does what a key stands for; returns whether it stands for anything. */
  private press(pressed: KeyboardEvent): boolean {
    const { clock } = this.replay;
    const key = pressed.key.length === 1 ? pressed.key.toLowerCase() : pressed.key;
    const skip = SKIPS.find((one) => one.key === key);
    if (skip !== undefined) {
      this.skip(skip.mark, pressed.shiftKey ? -1 : 1);
      return true;
    }
    const acts: Record<string, () => void> = {
      " ": () => clock.toggle(),
      ",": () => clock.step(-1),
      ".": () => clock.step(1),
      "[": () => clock.changeSpeed(-1),
      "]": () => clock.changeSpeed(1),
      Home: () => clock.seek(0),
      End: () => (clock.live ? clock.followEnd() : clock.seek(clock.end)),
      j: () => this.changePerson(1),
      k: () => this.changePerson(-1),
      w: () => this.toggleFollow(),
      "0": () => this.map.fit(),
      "+": () => this.map.zoom(1.5),
      "=": () => this.map.zoom(1.5),
      "-": () => this.map.zoom(1 / 1.5),
      "?": () => this.showHelp(),
      ArrowLeft: () => this.map.pan(-60, 0),
      ArrowRight: () => this.map.pan(60, 0),
      ArrowUp: () => this.map.pan(0, -60),
      ArrowDown: () => this.map.pan(0, 60),
      Escape: () => this.store.set({ person: -1, object: -1, follow: false }),
    };
    const act = acts[key];
    act?.();
    return act !== undefined;
  }
}

/** Whether a key belongs to what has the focus: a field, a list, a button, an open dialog, a panel that scrolls. */
function isTyping(pressed: KeyboardEvent): boolean {
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey || document.querySelector("dialog[open]") !== null) return true;
  const at = pressed.target instanceof HTMLElement ? pressed.target : null;
  if (at === null) return false;
  if (at.matches("input, textarea, select, [contenteditable]")) return true;
  if (pressed.key === " " && at.matches("button, summary, a, [role=button]")) return true;
  return /^(Arrow|Home|End|Page)/.test(pressed.key) && at.closest(".side") !== null;
}

function makeHelp(): HTMLDialogElement {
  const list = make("dl", { class: "keys" });
  for (const [keys, what] of HELP) {
    const term = make("dt");
    for (const key of keys.split(/ +/)) term.append(make("kbd", {}, key), " ");
    list.append(term, make("dd", {}, what));
  }
  const signs = make("dl", { class: "keys" });
  for (const [sign, what] of [
    ["bars", "talk, of everybody or of who is selected"],
    ["◆", "somebody first hears a fact, in the fact's colour"],
    ["▼", "the town is changed from outside: news, an inner voice, a thing, somebody put elsewhere"],
    ["▬", "several are together at a place"],
    ["■ ●", "a plan changed, a reflection (of who is selected)"],
    ["✕", "a rule stood in for the model"],
  ]) {
    signs.append(make("dt", {}, sign ?? ""), make("dd", {}, what ?? ""));
  }
  const dialog = make("dialog", { class: "help", "aria-label": "Keys and signs" });
  dialog.append(makeButton("Close", () => dialog.close(), { sign: "×", class: "close" }), make("h2", {}, "Keys"), list, make("h2", {}, "On the timeline"), signs);
  return dialog;
}
