// The marks of the timeline, each kind with a shape of its own besides its colour, and what they tell.

import { drawDiamond } from "./map/bubbles";
import type { Marks } from "./marks";
import type { Tick } from "./protocol";
import type { Recording } from "./recording";
import type { Look } from "./store";

export const HEIGHT = 64; // pixels of the strip
export const TOP = 10; // of the band in it
export const BOTTOM = HEIGHT - 16;

/** Where a mark is, and what is told to who points there. */
export interface Spot {
  x: number;
  tick: Tick;
  text: string;
}

export class MarkPainter {
  readonly spots: Spot[] = [];

  constructor(
    private readonly pen: CanvasRenderingContext2D,
    private readonly recording: Recording,
    private readonly marks: Marks,
    private readonly toX: (tick: Tick) => number,
  ) {}

  paintGatherings(): void {
    const { gatherings, head } = this.recording;
    for (const { first, last, place, people } of gatherings) {
      const x = this.toX(first);
      const wide = Math.max(4, this.toX(last) - x);
      this.pen.fillStyle = "rgb(214 158 46 / 0.55)";
      this.pen.beginPath();
      this.pen.roundRect(x, TOP, wide, 6, 3);
      this.pen.fill();
      const names = people.slice(0, 4).map((i) => head.people[i]?.name.split(" ")[0] ?? "");
      if (people.length > 4) names.push(`${people.length - 4} more`);
      this.spots.push({ x: x + Math.min(8, wide / 2), tick: first, text: `together at ${place.replaceAll("/", ", ")}: ${names.join(", ")}` });
    }
  }

  paintMarks({ person, fact }: Readonly<Look>): void {
    const { moments, interventions, learned } = this.marks;
    const own = <T extends { agent: number }>(found: T[]): T[] => (person < 0 ? found : found.filter(({ agent }) => agent === person));
    // Changed plans and reflections are many: shown of one person alone.
    if (person >= 0) {
      for (const { tick } of own(moments.plan)) this.paintSquare(tick, `${this.name(person)} changes the plan`);
      for (const { tick } of own(moments.reflection)) this.paintDot(tick, `${this.name(person)} reflects`);
    }
    for (const { tick, agent } of own(moments.fallback)) this.paintCross(tick, `a rule stood in for the model of ${this.name(agent)}`);
    for (const { tick, agent, kind, text } of interventions) this.paintArrow(tick, tellIntervention(kind, this.name(agent), text));
    for (const { tick, agent, fact: heard } of own(learned)) {
      const known = this.recording.head.facts[heard];
      if (known === undefined || (fact >= 0 && heard !== fact)) continue;
      drawDiamond(this.pen, this.toX(tick), 22 + 5 * (heard % 3), 4.5, known.color);
      this.note(tick, `${this.name(agent)} hears: ${known.text}`);
    }
  }

  private name(agent: number): string {
    return this.recording.head.people[agent]?.name ?? "everyone";
  }

  private note(tick: Tick, text: string): void {
    this.spots.push({ x: this.toX(tick), tick, text });
  }

  private paintSquare(tick: Tick, text: string): void {
    this.pen.fillStyle = "#1d6fb8";
    this.pen.fillRect(this.toX(tick) - 2, 18, 4, 4);
    this.note(tick, text);
  }

  private paintDot(tick: Tick, text: string): void {
    this.pen.fillStyle = "#7a3e9d";
    this.pen.beginPath();
    this.pen.arc(this.toX(tick), 26, 2.2, 0, 2 * Math.PI);
    this.pen.fill();
    this.note(tick, text);
  }

  private paintCross(tick: Tick, text: string): void {
    const { pen } = this;
    const x = this.toX(tick);
    pen.strokeStyle = "#b3261e";
    pen.lineWidth = 1.6;
    pen.beginPath();
    pen.moveTo(x - 2.5, HEIGHT - 24);
    pen.lineTo(x + 2.5, HEIGHT - 19);
    pen.moveTo(x + 2.5, HEIGHT - 24);
    pen.lineTo(x - 2.5, HEIGHT - 19);
    pen.stroke();
    this.note(tick, text);
  }

  private paintArrow(tick: Tick, text: string): void {
    const { pen } = this;
    const x = this.toX(tick);
    pen.fillStyle = "#3a363c";
    pen.beginPath();
    pen.moveTo(x - 5, TOP);
    pen.lineTo(x + 5, TOP);
    pen.lineTo(x, TOP + 8);
    pen.closePath();
    pen.fill();
    this.note(tick, text);
  }
}

function tellIntervention(kind: string, name: string, text: string): string {
  switch (kind) {
    case "news":
      return `news: ${text}`;
    case "whisper":
      return `an inner voice to ${name}: ${text}`;
    case "object":
      return text;
    case "put":
      return `${name} is put elsewhere`;
    case "join":
      return `${name} comes to town`;
    default:
      return `${name} leaves town`;
  }
}
