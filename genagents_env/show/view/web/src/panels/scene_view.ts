// A scene of the story as an article: its heading at once, its lines when it comes near the window.

import { make } from "../dom";
import type { Scene, SceneLine, Tick } from "../protocol";
import type { Context } from "./context";
import { markWords } from "./find_words";
import { askWhy, fold, linkFact, linkPerson, linkTime, makeAvatar } from "./parts";
import { placeName } from "./sentences";

const FEW = 3; // small acts in a row that are shown; more are folded
const HEIGHTS: Record<string, number> = { say: 84, learn: 26, news: 60, whisper: 60 }; // pixels, until measured
const SMALL = 24;
const TOLD_BY_LINES = new Set(["activity", "sleep"]); // their titles say what their lines say again

export class SceneView {
  readonly element: HTMLElement;
  private readonly body: HTMLElement;
  private lines: { element: HTMLElement; tick: Tick; main: boolean }[] = [];
  private filled = false;
  private stage = "";

  constructor(
    private readonly context: Context,
    readonly scene: Scene,
    private readonly shown: readonly SceneLine[], // of it; fewer where something is searched for
    private readonly sought: string[] = [], // words to mark
  ) {
    this.body = make("div", { class: "scene-lines" });
    const height = shown.reduce((sum, line) => sum + (HEIGHTS[line.kind] ?? SMALL), 0);
    this.body.style.setProperty("--guess", `${height}px`);
    this.element = make("article", { class: `scene scene-${scene.kind}`, "aria-label": `${context.when(scene.first)}: ${scene.title}` }, this.makeHead(), this.body);
  }

  get isFilled(): boolean {
    return this.filled;
  }

  fill(): void {
    if (this.filled) return;
    this.filled = true;
    this.body.classList.add("filled");
    for (let at = 0; at < this.shown.length; ) {
      let end = at;
      while (end < this.shown.length && isSmall(this.shown[end])) end++;
      if (end - at > FEW + 1) this.addFolded(this.shown.slice(at, end));
      else for (const line of this.shown.slice(at, Math.max(end, at + 1))) this.add(line, this.body);
      at = Math.max(end, at + 1);
    }
    this.stage = "";
  }

  /** Marks the scene and its lines as gone by, under way, or to come. */
  mark(tick: Tick): void {
    const { first, last } = this.scene;
    const stage = tick < first ? "later" : tick > last ? "past" : "now";
    if (stage === this.stage && stage !== "now") return;
    if (stage !== this.stage) {
      this.stage = stage;
      this.element.dataset["stage"] = stage;
      if (stage === "now") this.element.setAttribute("aria-current", "time");
      else this.element.removeAttribute("aria-current");
    }
    const latest = this.latest(tick);
    for (const line of this.lines) {
      line.element.classList.toggle("to-come", line.tick > tick);
      line.element.classList.toggle("current", stage === "now" && line.element === latest);
    }
  }

  /** The tick of its last line by then; its beginning where there is none. */
  lastLine(tick: Tick): Tick {
    let last = this.scene.first;
    for (const line of this.shown) if (line.tick <= tick && line.tick > last) last = line.tick;
    return last;
  }

  /** The last line by then; the heading where there is none. */
  latest(tick: Tick): HTMLElement {
    let found = this.element;
    let at = -1;
    for (const line of this.lines) {
      if (!line.main || line.tick > tick || line.tick < at || !line.element.checkVisibility()) continue;
      found = line.element;
      at = line.tick;
    }
    return found;
  }

  private makeHead(): HTMLElement {
    const { scene, context } = this;
    const where = scene.place === "" ? "" : placeName(scene.place);
    return make(
      "header",
      { class: "scene-head" },
      make("div", { class: "scene-when" }, linkTime(context, scene.first, "this scene", context.clock(scene.first)), make("span", { class: "scene-place" }, where)),
      make(context.hasDays ? "h3" : "h2", { class: TOLD_BY_LINES.has(scene.kind) ? "unseen" : false }, scene.title),
    );
  }

  private addFolded(lines: readonly SceneLine[]): void {
    for (const line of lines.slice(0, FEW)) this.add(line, this.body);
    const rest = lines.slice(FEW);
    const details = fold([`${rest.length} more`], (body) => rest.forEach((line) => this.add(line, body)), { class: "fold small-acts" });
    this.body.append(details);
  }

  private add(line: SceneLine, parent: HTMLElement): void {
    const element = line.kind === "say" ? this.makeUtterance(line) : line.kind === "learn" ? this.makeHearing(line) : this.makeAct(line);
    element.dataset["tick"] = String(line.tick);
    element.classList.toggle("to-come", line.tick > this.context.tick);
    element.addEventListener("click", (click) => {
      const target = click.target as Element;
      if (target.closest("button, summary, a") === null && getSelection()?.isCollapsed !== false) this.context.seek(line.tick);
    });
    this.lines.push({ element, tick: line.tick, main: line.kind !== "learn" });
    parent.append(element);
  }

  private makeUtterance(line: SceneLine): HTMLElement {
    const { context } = this;
    const words = make("p", { class: "words" }, ...markWords(line.text, this.sought));
    const head = make("div", { class: "line-head" }, linkPerson(context, line.agent), linkTime(context, line.tick, "these words", context.clock(line.tick)));
    if (line.event >= 0) head.append(askWhy(context, line.event, `${context.firstName(line.agent)} says: ${line.text}`));
    const bubble = make("div", { class: "bubble" }, words);
    bubble.style.setProperty("--person", context.person(line.agent)?.color ?? "#6f686d");
    const facts = line.facts.filter((fact) => fact >= 0);
    if (facts.length > 0) bubble.append(make("div", { class: "chips", "aria-label": "What is told in it" }, ...facts.map((fact) => linkFact(context, fact))));
    return make("div", { class: "line say" }, makeAvatar(context, line.agent), make("div", { class: "line-body" }, head, bubble));
  }

  private makeHearing(line: SceneLine): HTMLElement {
    const { context } = this;
    const element = make("div", { class: "line learn" });
    const fact = line.facts[0] ?? -1;
    if (fact < 0) return this.makeAct(line);
    element.style.setProperty("--fact", context.fact(fact).color);
    const source = context.replay.recording.findPerson(line.other);
    element.append(linkPerson(context, line.agent), " hears of ", linkFact(context, fact));
    if (line.other !== "") element.append(" from ", source < 0 ? line.other : linkPerson(context, source));
    return element;
  }

  private makeAct(line: SceneLine): HTMLElement {
    const { context } = this;
    const element = make("div", { class: `line act act-${line.kind}` }, linkTime(context, line.tick, "this", context.clock(line.tick)));
    const text = make("span", { class: "act-text" });
    if (line.agent >= 0) text.append(linkPerson(context, line.agent), " ");
    text.append(...markWords(line.kind === "come" && line.other !== "" ? `comes from ${placeName(line.other)}` : line.text, this.sought));
    element.append(text);
    if (line.event >= 0 && line.kind === "doing") element.append(askWhy(context, line.event, `${context.firstName(line.agent)}: ${line.text}`));
    return element;
  }
}

function isSmall(line: SceneLine | undefined): boolean {
  return line !== undefined && !["say", "learn", "news", "whisper"].includes(line.kind);
}
