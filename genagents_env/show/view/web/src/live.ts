// The bar of a town that goes on: stand still, step, pace; and what one may ask, say and change in it.

import { make, makeButton } from "./dom";
import type { Replay } from "./replay";
import type { Store } from "./store";

/** What the server answers at `live/state`; empty until the town has said how it is. */
interface TownState {
  paused?: boolean;
  speed?: number | null; // ticks a second; null is as fast as it can
  unwatched?: boolean;
  over?: boolean;
  asked?: string[]; // for whose people the town waits
  away?: string[]; // people who left their page
  path?: string;
}

const EVERY = 1000; // milliseconds between two looks at the state
const PACES: [label: string, ticks: number | null][] = [
  ["1 tick a second", 1],
  ["5 ticks a second", 5],
  ["20 ticks a second", 20],
  ["as fast as it can", null],
];

type Field = "person" | "place" | "thing" | "words";
const DEEDS: { kind: string; label: string; fields: Field[]; words?: string }[] = [
  { kind: "ask", label: "Ask somebody; it leaves no trace", fields: ["person", "words"], words: "Question" },
  { kind: "whisper", label: "Whisper a thought to somebody", fields: ["person", "words"], words: "Thought" },
  { kind: "news", label: "Spread news", fields: ["place", "words"], words: "News" },
  { kind: "object", label: "Change a thing", fields: ["thing", "words"], words: "State from now on" },
  { kind: "move", label: "Put somebody elsewhere", fields: ["person", "place"] },
  { kind: "leave", label: "Let somebody leave the town", fields: ["person"] },
  { kind: "join", label: "Let somebody come back", fields: ["person", "place"] },
  { kind: "fork", label: "Fork here: what if?", fields: [] },
];

/** Sends a command to the town; returns what it says, or throws with what is wrong. */
async function command(order: object): Promise<string> {
  const answer = await fetch("live/do", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(order) });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  const { said, fault } = (await answer.json()) as { said?: string; fault?: string };
  if (fault !== undefined) throw new Error(fault);
  return said ?? "";
}

export function mountLive(element: HTMLElement, replay: Replay, store: Store): void {
  if (replay.recording.head.steered) new LiveBar(element, replay, store);
}

class LiveBar {
  private state: TownState = {};
  private readonly told = make("span", { class: "live-told", role: "status" });
  private readonly pause = makeButton("Pause the town", () => this.order({ do: this.state.paused === true ? "go" : "pause" }), { class: "skip" });
  private readonly step = makeButton("One tick", () => this.order({ do: "step" }), { class: "skip" });
  private readonly pace = make("select", { "aria-label": "Pace of the town" });
  private readonly bar: HTMLElement;

  constructor(
    element: HTMLElement,
    private readonly replay: Replay,
    store: Store,
  ) {
    this.pace.append(...PACES.map(([label, ticks]) => make("option", { value: String(ticks), selected: ticks === null }, label)));
    this.pace.addEventListener("change", () => this.order({ do: "speed", speed: this.pace.value === "null" ? null : Number(this.pace.value) }));
    const deeds = makeDeeds(this.replay, store, () => this.state);
    const act = makeButton("Ask or act …", () => deeds.showModal(), { class: "skip" });
    this.bar = make("div", { class: "live", role: "group", "aria-label": "The town goes on" }, this.pause, this.step, this.pace, act, this.told);
    element.prepend(this.bar);
    document.body.append(deeds);
    void this.follow();
  }

  private order(order: object): void {
    command(order).then(
      () => this.look(),
      (error: unknown) => (this.told.textContent = String(error instanceof Error ? error.message : error)),
    );
  }

  private async follow(): Promise<void> {
    while (this.state.over !== true) {
      if (!document.hidden) await this.look().catch(() => (this.told.textContent = "The town does not answer: its run may have ended."));
      await new Promise((resolve) => setTimeout(resolve, EVERY));
    }
  }

  private async look(): Promise<void> {
    const answer = await fetch("live/state", { cache: "no-store" });
    if (!answer.ok) return;
    this.state = (await answer.json()) as TownState;
    const { paused, over, asked = [], away = [], unwatched } = this.state;
    this.pace.value = String(this.state.speed ?? null);
    this.pause.textContent = paused === true ? "Let it go on" : "Pause the town";
    for (const control of [this.pause, this.step, this.pace]) control.disabled = over === true;
    const parts = [
      over === true ? "The run is over." : paused === true ? "The town stands still." : unwatched === true ? "Nobody looked: the town stands still." : "",
      asked.length > 0 && over !== true ? `It waits for ${asked.join(" and ")}.` : "",
      away.length > 0 ? `Away: ${away.join(", ")}.` : "",
    ];
    this.told.textContent = parts.filter((part) => part !== "").join(" ");
  }
}

/** The dialog in which one asks, whispers, changes things, and forks. */
function makeDeeds(replay: Replay, store: Store, state: () => TownState): HTMLDialogElement {
  const { head, town } = replay.recording;
  const kind = make("select", { "aria-label": "What to do" }, ...DEEDS.map(({ kind, label }) => make("option", { value: kind }, label)));
  const person = choose(head.people.map(({ name }) => name));
  const place = choose(["", ...town.arenas.slice(1).map(({ id }) => id)], "everywhere, or where they start");
  const thing = choose(town.objects.map(({ id }) => id));
  const words = make("textarea", { rows: 3, maxlength: 500 });
  const inputs: Record<Field, HTMLElement & { value: string }> = { person, place, thing, words };
  const labels = {} as Record<Field, HTMLElement>;
  const name = (field: Field, label: string): void => {
    labels[field].firstChild?.replaceWith(label);
    inputs[field].setAttribute("aria-label", label);
  };
  for (const [field, input] of Object.entries(inputs) as [Field, HTMLElement][]) {
    labels[field] = make("label", {}, field, input);
    name(field, field[0]?.toUpperCase() + field.slice(1));
  }
  const said = make("output", { class: "said" });
  const send = make("button", { type: "submit", class: "skip" }, "Do it");
  const form = make("form", { method: "dialog" }, kind, labels.person, labels.place, labels.thing, labels.words, send, said);
  const dialog = make("dialog", { class: "deeds", "aria-label": "Ask or act" }, makeButton("Close", () => dialog.close(), { sign: "×", class: "close" }), form);

  const chosen = (): (typeof DEEDS)[number] => DEEDS.find((deed) => deed.kind === kind.value) ?? DEEDS[0]!;
  const show = (): void => {
    const deed = chosen();
    for (const field of Object.keys(inputs) as Field[]) labels[field].hidden = !deed.fields.includes(field);
    name("words", deed.words ?? "Words");
    said.textContent = deed.kind === "fork" ? `Another future of ${state().path ?? "this run"}, from ${findTime(replay, store)} on, in a page of its own.` : "";
  };
  kind.addEventListener("change", show);
  form.addEventListener("submit", (submit) => {
    submit.preventDefault();
    const deed = chosen();
    const values: Record<string, string> = {};
    const names: Record<Field, string> = { person: "agent", place: "place", thing: "object", words: deed.kind === "object" ? "state" : "text" };
    for (const field of deed.fields) if (inputs[field].value !== "") values[names[field]] = inputs[field].value;
    const orders: Record<string, object> = {
      ask: { do: "ask", agent: values["agent"], question: values["text"] ?? "" },
      fork: { do: "fork", at: findTime(replay, store) },
    };
    said.textContent = "…";
    send.disabled = true;
    command(orders[deed.kind] ?? { do: "event", event: { kind: deed.kind, ...values } })
      .then((answer) => {
        if (deed.kind === "ask") said.textContent = answer;
        else if (deed.kind === "fork") said.replaceChildren(...answer.split("\n").map(linkFork));
        else said.textContent = `It happens at ${answer.replace("T", " ")}.`;
      })
      .catch((error: unknown) => (said.textContent = error instanceof Error ? error.message : String(error)))
      .finally(() => (send.disabled = false));
  });
  const open = dialog.showModal.bind(dialog);
  dialog.showModal = () => {
    const { person: now, object } = store.get();
    if (now >= 0) person.value = head.people[now]?.name ?? person.value;
    if (object >= 0) thing.value = town.objects[object]?.id ?? thing.value;
    show();
    open();
  };
  return dialog;
}

function choose(values: string[], empty = ""): HTMLSelectElement {
  return make("select", {}, ...values.map((value) => make("option", { value }, value === "" ? empty : value)));
}

/** Returns the link to a fork, or, behind a name, to the page of one who plays in it. */
function linkFork(line: string): HTMLElement {
  const [place = "", ...player] = line.split(" ");
  return make("a", { href: place, target: "_blank", rel: "noopener" }, player.length === 0 ? "Open the fork" : ` Play ${player.join(" ")} in it`);
}

/** The town time that the page shows, which another recorded tick follows. */
function findTime(replay: Replay, store: Store): string {
  const { head, lastTick } = replay.recording;
  const tick = Math.max(0, Math.min(Math.floor(store.get().time), lastTick - 1));
  return new Date(new Date(`${head.start}Z`).getTime() + tick * head.secondsPerTick * 1000).toISOString().slice(0, 19);
}
