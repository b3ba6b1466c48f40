// Finding words in the texts of an element: every place is marked, and one can go from one to the next.

import { make } from "../dom";

const SHORTEST = 2; // letters

export class WordFinder {
  readonly element: HTMLElement;
  private marks: HTMLElement[] = [];
  private at = -1;
  private readonly input = make("input", { type: "search", placeholder: "Find in prompts", "aria-label": "Find in prompts and replies" });
  private readonly counted = make("span", { class: "found", "aria-live": "polite" });

  constructor(private readonly root: HTMLElement) {
    const next = make("button", { type: "button", class: "pill", "aria-label": "Next place" }, "↓");
    next.addEventListener("click", () => this.go(1));
    this.element = make("div", { class: "find", role: "search" }, this.input, this.counted, next);
    this.input.addEventListener("input", () => this.find());
    this.input.addEventListener("keydown", (key) => {
      if (key.key !== "Enter") return;
      key.preventDefault();
      this.go(key.shiftKey ? -1 : 1);
    });
    root.addEventListener("texts", () => this.find());
  }

  private find(): void {
    const query = fold(this.input.value.trim());
    this.marks = [];
    this.at = -1;
    if (query.length >= SHORTEST) for (const call of this.root.querySelectorAll<HTMLDetailsElement>("details.call")) call.open = true;
    for (const text of this.root.querySelectorAll<HTMLElement>(".searchable")) {
      const whole = text.textContent ?? "";
      if (text.childElementCount > 0) text.replaceChildren(whole);
      if (query.length >= SHORTEST) this.mark(text, whole, query);
    }
    this.counted.textContent = query.length < SHORTEST ? "" : this.marks.length === 1 ? "1 place" : `${this.marks.length} places`;
    if (this.marks.length > 0) for (const mark of this.marks) unfold(mark, this.root);
  }

  private mark(text: HTMLElement, whole: string, query: string): void {
    const pieces = markWords(whole, [query]);
    const marks = pieces.filter((piece) => typeof piece !== "string");
    if (marks.length === 0) return;
    this.marks.push(...marks);
    text.replaceChildren(...pieces);
  }

  private go(step: number): void {
    if (this.marks.length === 0) return;
    this.marks[this.at]?.classList.remove("here");
    this.at = (this.at + step + this.marks.length) % this.marks.length;
    const mark = this.marks[this.at];
    mark?.classList.add("here");
    mark?.scrollIntoView({ block: "center" });
    this.counted.textContent = `${this.at + 1} of ${this.marks.length}`;
  }
}

function unfold(mark: HTMLElement, root: HTMLElement): void {
  for (let at: HTMLElement | null = mark; at !== null && at !== root; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
}

/** A text as it is compared: in small letters, with the apostrophe of a typewriter. */
export function fold(text: string): string {
  return text.toLocaleLowerCase().replace(/[\u2018\u2019]/g, "'");
}

/** A text in pieces, with each place marked where one of these words (folded) stands. */
export function markWords(text: string, words: string[]): (HTMLElement | string)[] {
  const folded = fold(text);
  if (folded.length !== text.length) return [text]; // letters that change their length: places would be off
  const pieces: (HTMLElement | string)[] = [];
  let from = 0;
  while (from < text.length) {
    const places = words.filter(Boolean).map((word) => ({ word, at: folded.indexOf(word, from) }));
    const [next] = places.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at || b.word.length - a.word.length);
    if (next === undefined) break;
    const end = next.at + next.word.length;
    pieces.push(text.slice(from, next.at), make("mark", {}, text.slice(next.at, end)));
    from = end;
  }
  return [...pieces, text.slice(from)];
}
