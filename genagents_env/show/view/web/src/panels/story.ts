// The story: scenes by place and talk, going along with the clock until the reader scrolls.

import { make } from "../dom";
import type { Scene, SceneLine, Story, Tick } from "../protocol";
import type { Context } from "./context";
import { fold } from "./find_words";
import { note } from "./parts";
import { SceneView } from "./scene_view";

const NEAR = "1200px 0px"; // of the window: scenes so near are filled
const PAUSE = 120; // milliseconds after the last letter before it is searched for
const AT = 0.3; // of the height of the list: where the current line is put

export function mountStory(element: HTMLElement, context: Context): void {
  new StoryPanel(element, context);
}

class StoryPanel {
  private story: Story = { until: -1, scenes: [] };
  private views: SceneView[] = [];
  private followed: SceneView | undefined; // the scene that was scrolled to
  private whole = new Map<string, SceneView>(); // scenes of which nothing is left out, kept
  private readonly days = new Map<string, HTMLElement>();
  private along = true; // whether it goes along with the clock
  private readonly search = make("input", { type: "search", placeholder: "Search what was said and done", "aria-label": "Search the story" });
  private readonly people = make("select", { "aria-label": "Only scenes with" });
  private readonly facts = make("select", { "aria-label": "Only what tells of" });
  private readonly list = make("div", { class: "scenes", role: "feed", "aria-label": "Scenes" });
  private readonly found = make("p", { class: "found", "aria-live": "polite" });
  private readonly back = make("button", { type: "button", class: "back-to-clock", hidden: true }, "Back to the clock");
  private readonly watcher: IntersectionObserver;

  constructor(
    private readonly element: HTMLElement,
    private readonly context: Context,
  ) {
    this.fillChoices();
    this.list.append(note("Reading the story …"));
    const bar = make("div", { class: "panel-bar", role: "search" }, this.search, make("div", { class: "choices" }, this.people, this.facts), this.found);
    element.append(bar, this.list, this.back);
    this.watcher = new IntersectionObserver((entries) => this.fillNear(entries), { root: this.list, rootMargin: NEAR });
    let typed = 0;
    this.search.addEventListener("input", () => {
      clearTimeout(typed);
      typed = setTimeout(() => this.show(), PAUSE);
    });
    for (const choice of [this.people, this.facts]) choice.addEventListener("input", () => this.show());
    for (const kind of ["wheel", "touchmove"]) this.list.addEventListener(kind, () => this.letGo(), { passive: true });
    this.list.addEventListener("pointerdown", (press) => {
      if (press.target === this.list) this.letGo(); // its scroll bar
    });
    this.list.addEventListener("click", (click) => {
      if ((click.target as Element).closest(".line, .time") !== null) this.along = true; // it sought
    });
    this.list.addEventListener("keydown", (key) => {
      if (["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "].includes(key.key)) this.letGo();
    });
    this.back.addEventListener("click", () => {
      this.along = true;
      this.update(context.tick);
    });
    context.keep(element, (tick) => this.update(tick));
    context.keepReading(element, () => void this.load());
  }

  private fillChoices(): void {
    const { people, facts } = this.context.head;
    this.people.append(make("option", { value: -1 }, "Everybody"));
    const order = people.map((_, i) => i).sort((a, b) => this.context.name(a).localeCompare(this.context.name(b)));
    for (const i of order) this.people.append(make("option", { value: i }, this.context.name(i)));
    this.facts.append(make("option", { value: -1 }, "All facts"));
    facts.forEach((_, i) => this.facts.append(make("option", { value: i }, this.context.factName(i))));
    this.facts.hidden = facts.length === 0;
  }

  private async load(): Promise<void> {
    try {
      const story = await this.context.replay.recording.resource<Story>("story");
      if (story === this.story) return;
      this.story = story;
      this.show();
    } catch (error) {
      if (this.views.length === 0) this.list.replaceChildren(note(`The story cannot be read: ${error instanceof Error ? error.message : String(error)}`));
    }
  }

  /** Makes the scenes that are asked for; those that are unchanged are kept. */
  private show(): void {
    const words = fold(this.search.value).split(/\s+/).filter(Boolean);
    const [person, fact] = [Number(this.people.value), Number(this.facts.value)];
    const filtered = words.length > 0 || person >= 0 || fact >= 0;
    const whole = new Map<string, SceneView>();
    this.watcher.disconnect();
    this.views = this.story.scenes.flatMap((scene) => {
      if (person >= 0 && !scene.people.includes(person)) return [];
      const lines = scene.lines.filter((line) => (fact < 0 || line.facts.includes(fact)) && this.hasAll(scene, line, words));
      if (lines.length === 0 && (words.length > 0 || fact >= 0)) return [];
      if (words.length > 0 || lines.length < scene.lines.length) return [new SceneView(this.context, scene, lines, words)];
      const view = this.whole.get(keyOf(scene)) ?? new SceneView(this.context, scene, lines);
      whole.set(keyOf(scene), view);
      return [view];
    });
    if (!filtered) this.whole = whole;
    replaceTail(this.list, this.views.length === 0 ? [note(filtered ? "Nothing like that happens." : "Nothing has happened yet.")] : this.arrange());
    this.found.textContent = filtered ? `${this.views.length} of ${this.story.scenes.length} scenes` : "";
    for (const view of this.views) this.watcher.observe(view.element);
    this.update(this.context.tick);
  }

  /** Whether each of these words is in a line, is its speaker's, or is in the head of its scene. */
  private hasAll(scene: Scene, line: SceneLine, words: string[]): boolean {
    const text = fold(`${line.agent >= 0 ? this.context.name(line.agent) : ""} ${line.text} ${scene.title} ${scene.place}`);
    return words.every((word) => text.includes(word));
  }

  /** The scenes, each day under its name where there are several. */
  private arrange(): HTMLElement[] {
    let day = "";
    return this.views.flatMap((view) => {
      const now = this.context.replay.calendar.day(view.scene.first);
      if (!this.context.hasDays || now === day) return [view.element];
      day = now;
      const held = this.days.get(now) ?? make("h2", { class: "day-name" }, now);
      this.days.set(now, held);
      return [held, view.element];
    });
  }

  private fillNear(entries: IntersectionObserverEntry[]): void {
    const near = new Set(entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target));
    for (const view of this.views) {
      if (!near.has(view.element)) continue;
      view.fill();
      view.mark(this.context.tick);
      this.watcher.unobserve(view.element);
    }
  }

  private letGo(): void {
    this.along = false;
    this.back.hidden = this.views.length === 0;
  }

  private update(tick: Tick): void {
    for (const view of this.views) view.mark(tick);
    if (this.along && !this.element.hidden) this.scrollTo(tick);
    this.back.hidden = this.along || this.views.length === 0;
  }

  /** The scene to look at: a talk until it is over, else that in which something happened last. */
  private pick(tick: Tick): SceneView | undefined {
    const held = this.followed;
    if (held !== undefined && held.scene.kind === "talk" && held.scene.first <= tick && tick <= held.scene.last && this.views.includes(held)) return held;
    const { person } = this.context.store.get();
    let best: SceneView | undefined;
    let most = -1;
    for (const view of this.views) {
      if (view.scene.first > tick) break;
      const mine = person < 0 || view.scene.people.includes(person);
      const weight = 4 * view.lastLine(tick) + (mine ? 2 : 0) + (view.scene.kind === "talk" ? 1 : 0);
      if (weight < most) continue;
      best = view;
      most = weight;
    }
    return best;
  }

  /** Brings the last line of the scene into sight. */
  private scrollTo(tick: Tick): void {
    const view = this.pick(tick);
    this.followed = view;
    if (view === undefined) {
      this.list.scrollTop = 0;
      return;
    }
    if (!view.isFilled) {
      view.fill();
      view.mark(tick);
    }
    const line = view.latest(tick);
    const box = this.list.getBoundingClientRect();
    const at = (line === view.element ? view.element : line).getBoundingClientRect().top - box.top;
    if (at >= 0 && at < box.height * 0.55) return; // it is in sight
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches || Math.abs(at) > box.height * 2;
    this.list.scrollBy({ top: at - box.height * AT, behavior: calm ? "instant" : "smooth" });
  }
}

/** Makes these the children of an element; those before the first difference are not touched. */
function replaceTail(element: HTMLElement, children: readonly Element[]): void {
  let same = 0;
  while (same < children.length && element.children[same] === children[same]) same++;
  while (element.children.length > same) element.lastElementChild?.remove();
  element.append(...children.slice(same));
}

const keyOf = (scene: Scene): string => `${scene.first} ${scene.last} ${scene.kind} ${scene.place} ${scene.lines.length} ${scene.title}`;

