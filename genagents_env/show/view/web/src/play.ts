// The page of a person who plays an agent: what that agent perceives, and what it may do.

import { make, makeButton } from "./dom";

interface Seen {
  name: string;
  tile: [number, number];
  distance: number;
  doing: string;
  asleep: boolean;
}
interface Thing {
  id: string;
  name: string;
  tile: [number, number];
  state: string;
  next_states: string[];
  free_text: boolean;
  usable: boolean;
}
interface Heard {
  kind: string;
  speaker: string | null;
  text: string;
  addressed: boolean;
}
interface Percept {
  agent: string;
  tick: number;
  time: string;
  me: { place: string; tile: [number, number]; doing: string; asleep: boolean };
  exits: string[];
  people: Seen[];
  objects: Thing[];
  heard: Heard[];
  result: { ok: boolean; text: string; arrived: boolean };
  conversation: { members: string[]; turn: string | null; may_speak: boolean } | null;
  known: string[];
  goals: { kind: string; object: string | null; state: string | null; place: string | null; person: string | null; fact: string | null; done: boolean }[];
}
interface Who {
  about: string[];
  currently: string;
  goal: string;
  home: string;
  people: Record<string, string>;
  facts: string[];
}
interface Turn {
  count: number;
  asked: boolean;
  percept: Percept;
  who: Who; // what the agent knows of itself
}

const WALK = 100_000; // ticks at most
const WAIT = 60;
const LINES = 60; // of what was heard
const AGAIN = 1000; // milliseconds until an absent server is asked again

const root = document.getElementById("play");
if (root === null) throw new Error("the page has no place for the town");

let now: Percept | undefined;
let spoken: HTMLLIElement | undefined; // what one has entered to say, until it is said or refused
let target = ""; // whom one speaks to; everybody in earshot if empty
const title = make("h1", {});
const where = make("p", { class: "where" });
const who = make("details", { class: "who" });
const status = make("p", { class: "status", role: "status" });
const canvas = make("canvas", { class: "around", "aria-label": "Around you; click where to walk" });
const log = make("ol", { class: "log", "aria-live": "polite", "aria-label": "What you heard" });
const people = make("div", { class: "chips", role: "group", "aria-label": "People in sight" });
const things = make("div", { class: "things", role: "group", "aria-label": "Things in sight" });
const words = make("input", { type: "text", maxlength: 500, "aria-label": "What you say", placeholder: "Say …", autocomplete: "off" });
const places = make("select", { "aria-label": "Places you know" });
const say = make("form", { class: "say" }, words, make("button", { type: "submit" }, "Say"));
const leave = makeButton("Leave the talk", () => void act({ do: "talk", to: null, text: words.value, leave: true }));
root.append(
  title,
  where,
  who,
  status,
  canvas,
  log,
  people,
  say,
  make(
    "div",
    { class: "row" },
    places,
    makeButton("Go", () => void act({ do: "move", place: places.value }, WALK)),
  ),
  make(
    "div",
    { class: "row" },
    makeButton("Wait a tick", () => void act({ do: "idle" })),
    makeButton("Wait until somebody speaks, 60 ticks at most", () => void act({ do: "idle" }, WAIT)),
    makeButton("Stop", () => void send("clear", {})),
    leave,
  ),
  things,
);

say.addEventListener("submit", (submit) => {
  submit.preventDefault();
  if (words.value.trim() === "") return;
  void act({ do: "talk", to: target === "" ? null : target, text: words.value });
  spoken = make("li", { class: "own" }, make("b", {}, target === "" ? "You: " : `You to ${target}: `), words.value);
  words.value = "";
});

async function send(what: string, body: object): Promise<void> {
  try {
    const answer = await fetch(what, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const told = answer.ok ? ((await answer.json()) as { fault?: string }).fault : await answer.text();
    if (told !== undefined) status.textContent = told;
  } catch {
    status.textContent = "The town does not answer.";
  }
}

/** Enters an action; it is done at the next turn. */
async function act(action: object, ticks = 1): Promise<void> {
  status.textContent = "Entered: it is done as soon as the town goes on.";
  await send("act", { ...action, ticks });
}

canvas.addEventListener("click", (click) => {
  if (now === undefined) return;
  const { left, top, size, radius } = measure(now);
  const box = canvas.getBoundingClientRect();
  const x = now.me.tile[0] - radius + Math.floor((click.clientX - box.left - left) / size);
  const y = now.me.tile[1] - radius + Math.floor((click.clientY - box.top - top) / size);
  const near = [...now.people].find(({ tile }) => tile[0] === x && tile[1] === y);
  if (near !== undefined) {
    target = near.name;
    showPeople(now);
  } else void act({ do: "move", place: `${x},${y}` }, WALK);
});

/** How far the map reaches, and how large its tiles are. */
function measure(percept: Percept): { left: number; top: number; size: number; radius: number } {
  const far = [...percept.people, ...percept.objects].map(({ tile }) => Math.max(Math.abs(tile[0] - percept.me.tile[0]), Math.abs(tile[1] - percept.me.tile[1])));
  const radius = Math.max(4, ...far);
  const size = Math.min(canvas.clientWidth, canvas.clientHeight) / (2 * radius + 1);
  return { left: (canvas.clientWidth - size * (2 * radius + 1)) / 2, top: (canvas.clientHeight - size * (2 * radius + 1)) / 2, size, radius };
}

function draw(percept: Percept): void {
  const scale = devicePixelRatio;
  canvas.width = canvas.clientWidth * scale;
  canvas.height = canvas.clientHeight * scale;
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  pen.scale(scale, scale);
  const { left, top, size, radius } = measure(percept);
  const at = ([x, y]: [number, number]): [number, number] => [left + (x - percept.me.tile[0] + radius + 0.5) * size, top + (y - percept.me.tile[1] + radius + 0.5) * size];
  pen.strokeStyle = "#ded6c8";
  for (let line = 0; line <= 2 * radius + 1; line++) {
    pen.beginPath();
    pen.moveTo(left + line * size, top);
    pen.lineTo(left + line * size, top + (2 * radius + 1) * size);
    pen.moveTo(left, top + line * size);
    pen.lineTo(left + (2 * radius + 1) * size, top + line * size);
    pen.stroke();
  }
  pen.textAlign = "center";
  pen.font = "12px system-ui, sans-serif";
  for (const { name, tile } of percept.objects) {
    const [x, y] = at(tile);
    pen.fillStyle = "#c9b79c";
    pen.fillRect(x - size * 0.35, y - size * 0.35, size * 0.7, size * 0.7);
    if (size > 22) label(pen, name, x, y + size * 0.5 + 9);
  }
  for (const { name, tile } of percept.people) dot(pen, at(tile), size, "#2f6fb5", name.split(" ")[0] ?? name);
  dot(pen, at(percept.me.tile), size, "#8a4b2a", "you");
}

function dot(pen: CanvasRenderingContext2D, [x, y]: [number, number], size: number, color: string, name: string): void {
  pen.fillStyle = color;
  pen.beginPath();
  pen.arc(x, y, Math.max(5, size * 0.36), 0, 2 * Math.PI);
  pen.fill();
  label(pen, name, x, y - Math.max(7, size * 0.42));
}

function label(pen: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  pen.lineWidth = 3;
  pen.strokeStyle = "#faf7f0";
  pen.strokeText(text, x, y);
  pen.lineWidth = 1;
  pen.fillStyle = "#3a363c";
  pen.fillText(text, x, y);
}

function showPeople(percept: Percept): void {
  const names = percept.people.filter(({ asleep }) => !asleep).map(({ name }) => name);
  if (!names.includes(target) && percept.conversation?.members.includes(target) !== true) target = "";
  const chips = ["", ...new Set([...names, ...(target === "" ? [] : [target])])].map((name) => {
    const chip = makeButton(name === "" ? "to everybody near" : `to ${name}`, () => {
      target = name;
      showPeople(percept);
    });
    chip.setAttribute("aria-pressed", String(name === target));
    return chip;
  });
  people.replaceChildren(...chips);
}

function showThings(percept: Percept): void {
  const rows = percept.objects.map((thing) => {
    const states = thing.next_states.map((state) => makeButton(state, () => void act({ do: "interact", object: thing.id, state })));
    const reach = thing.usable ? states : [makeButton("go there", () => void act({ do: "move", place: thing.id }, WALK))];
    return make("div", { class: "thing" }, make("span", {}, `${thing.name}: ${thing.state}`), ...reach);
  });
  things.replaceChildren(...rows);
}

function showPlaces(percept: Percept): void {
  const before = places.value;
  if (places.options.length !== percept.known.length) places.replaceChildren(...percept.known.map((place) => make("option", { value: place }, place.replaceAll("/", ", "))));
  if (before !== "") places.value = before;
}

function hear(percept: Percept): void {
  const lines = percept.heard.map(({ kind, speaker, text, addressed }) => {
    const who = speaker ?? { news: "News", thought: "A thought" }[kind] ?? "You notice";
    return make("li", { class: addressed ? "addressed" : kind }, make("b", {}, `${who}: `), text);
  });
  if (spoken !== undefined && percept.result.ok) lines.unshift(spoken);
  spoken = undefined;
  if (percept.result.text !== "") lines.push(make("li", { class: percept.result.ok ? "result" : "refused" }, percept.result.text));
  write(...lines);
}

function write(...lines: HTMLElement[]): void {
  log.append(...lines);
  while (log.childElementCount > LINES) log.firstElementChild?.remove();
  if (lines.length > 0) log.scrollTop = log.scrollHeight;
}

/** What the agent knows of itself, and what it is to achieve. */
function showWho(self: Who, percept: Percept): void {
  if (who.childElementCount === 0) {
    const ties = Object.entries(self.people).map(([name, tie]) => `${name}: ${tie}`);
    const texts = [...self.about, self.currently, self.goal, ...self.facts, ...ties, self.home === "" ? "" : `Home: ${self.home.replaceAll("/", ", ")}`];
    who.append(make("summary", {}, "Who you are, and what you know"), ...texts.filter((text) => text !== "").map((text) => make("p", {}, text)), make("ul", { class: "goals" }));
  }
  const goals = percept.goals.map(({ kind, object, state, place, person, fact, done }) => {
    const what = [kind, object, state, person, fact, place].filter((part) => part !== null).join(" ");
    return make("li", {}, `${done ? "Done" : "Goal"}: ${what.replaceAll("/", ", ")}`);
  });
  who.querySelector(".goals")?.replaceChildren(...goals);
}

function show({ asked, percept, who: self }: Turn): void {
  if (now?.tick !== percept.tick) hear(percept);
  now = percept;
  title.textContent = percept.agent;
  document.title = `${percept.agent}, in town`;
  where.textContent = `${percept.time.slice(11, 16)} · ${percept.me.place.replaceAll("/", ", ")} · ${percept.me.doing}`;
  const talk = percept.conversation;
  const company = talk === null ? "" : ` You talk with ${talk.members.filter((name) => name !== percept.agent).join(" and ")}${talk.may_speak ? "" : `; it is ${talk.turn ?? "another"}'s turn`}.`;
  status.textContent = `${asked ? "It is your turn." : "The town goes on."}${company}`;
  leave.hidden = talk === null;
  document.body.classList.toggle("asked", asked);
  showWho(self, percept);
  showPeople(percept);
  showThings(percept);
  showPlaces(percept);
  draw(percept);
}

async function follow(): Promise<void> {
  let count = 0;
  while (true) {
    try {
      const answer = await fetch(`turn/${count}`, { cache: "no-store" });
      if (!answer.ok) throw new Error((await answer.text()).trim());
      const turn = (await answer.json()) as Partial<Turn>;
      if (turn.count !== undefined) {
        count = turn.count;
        show(turn as Turn);
      }
    } catch {
      status.textContent = "The town does not answer: the run may be over.";
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }
}

status.textContent = "The town has not begun yet.";
addEventListener("resize", () => {
  if (now !== undefined) draw(now);
});
void follow();
