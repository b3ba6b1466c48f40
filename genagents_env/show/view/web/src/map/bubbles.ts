// What is said, in bubbles: shown long enough to be read at the speed of the clock, and apart.

import type { AgentIndex, EventId } from "../protocol";
import type { Recording } from "../recording";
import { readUtterance } from "../state";
import type { Utterance } from "../state";
import { overlap } from "./boxes";
import type { Box, Boxes } from "./boxes";
import { makeBox } from "./labels";
import { font, measure, wrap } from "./text";

type Pen = CanvasRenderingContext2D;

const LETTERS = 17; // read a second, at ease
const GRACE = 1.4; // seconds on top of it
const LONGEST = 10; // seconds
const LINE = 18;
const PAD = 10;
export const STYLE = font(14, 500);

/** How long, in seconds, somebody needs for a text. */
export function findReadingTime(text: string): number {
  return Math.min(LONGEST, GRACE + text.length / LETTERS);
}

export class Speech {
  constructor(private readonly recording: Recording) {}

  /**
   * What is being said at a time: of everyone the last words, the newest first.
   *
   * It depends on the time and the speed alone, so a moment looks the same however one came to it:
   * an utterance is shown from its tick on as long as one needs to read it at `speed` (simulated
   * seconds a second), at least until the next tick.
   */
  find(time: number, speed: number): Utterance[] {
    const perSecond = speed / this.recording.head.secondsPerTick; // ticks a second
    const { events } = this.recording;
    const found: Utterance[] = [];
    const spoke = new Set<AgentIndex>();
    const earliest = time - Math.max(1, LONGEST * perSecond);
    for (let at = this.recording.firstEvent(Math.floor(time) + 1) - 1; at >= 0; at--) {
      const event = events[at];
      if (event === undefined || event[1] < earliest) break;
      if (event[2] !== "say" || spoke.has(event[3])) continue;
      spoke.add(event[3]);
      const said = readUtterance(this.recording, event);
      if (time - said.tick < Math.max(1, findReadingTime(said.text) * perSecond)) found.push(said);
    }
    return found;
  }
}

export interface Placed {
  said: Utterance;
  box: Box;
}

interface Text {
  lines: string[];
  width: number;
  height: number;
}

/** Places and draws bubbles; each stays on its side of the speaker while it is shown. */
export class Bubbles {
  private texts = new Map<EventId, Text>();
  private sides = new Map<EventId, number>();

  /** Places bubbles around their speakers' discs, in their order; that of `first` has to be shown. */
  place(utterances: Utterance[], spots: (agent: AgentIndex) => { x: number; y: number } | undefined, disc: number, window: { width: number; height: number }, taken: Boxes, most: number, first: AgentIndex | -1): Placed[] {
    const placed: Placed[] = [];
    for (const said of utterances) {
      if (placed.length >= most) break;
      const spot = spots(said.agent);
      if (spot === undefined) continue;
      const text = this.layText(said, window.width);
      const choices = listChoices(spot, text, disc).map((box) => keepInside(box, window));
      const before = this.sides.get(said.event);
      let best = before ?? 0;
      let least = Number.POSITIVE_INFINITY;
      choices.forEach((box, side) => {
        const middle = Math.hypot((box.left + box.right) / 2 - spot.x, 1.5 * ((box.top + box.bottom) / 2 - spot.y));
        const others = placed.reduce((sum, other) => sum + overlap(other.box, box), 0);
        const own = holds(box, spot.x, spot.y, disc / 2) ? 1e5 : 0;
        // Near its speaker, beside other words, then beside people; one that is shown does not jump lightly.
        const much = own + 8 * others + taken.measureCover(box) + 4 * middle - (side === before ? 600 : 0);
        if (much < least) [least, best] = [much, side];
      });
      const box = choices[best];
      if (box === undefined) continue;
      const covered = placed.reduce((sum, other) => sum + overlap(other.box, box), 0);
      if (covered > 0.15 * text.width * text.height && said.agent !== first) continue; // no room: its sign stays
      this.sides.set(said.event, best);
      taken.take(box);
      placed.push({ said, box });
    }
    if (this.sides.size > 400) this.sides.clear();
    return placed;
  }

  draw(pen: Pen, { said, box }: Placed, spot: { x: number; y: number }, disc: number, color: string, facts: string[]): void {
    const text = this.texts.get(said.event);
    if (text === undefined) return;
    const foot = Math.max(box.left + 14, Math.min(box.right - 14, spot.x));
    const above = box.bottom < spot.y;
    const below = box.top > spot.y;
    const edge = above ? box.bottom - 2 : below ? box.top + 2 : (box.top + box.bottom) / 2;
    pen.fillStyle = color;
    pen.beginPath();
    const thick = Math.hypot(foot - spot.x, edge - spot.y) > 60 ? 4 : 6;
    if (above || below) {
      pen.moveTo(foot - thick, edge);
      pen.lineTo(foot + thick, edge);
    } else {
      const side = box.left > spot.x ? box.left + 2 : box.right - 2;
      pen.moveTo(side, edge - thick);
      pen.lineTo(side, edge + thick);
    }
    pen.lineTo(spot.x + (above || below ? 0 : Math.sign(foot - spot.x) * (disc / 2 + 2)), above ? spot.y - disc / 2 - 2 : below ? spot.y + disc / 2 + 2 : spot.y);
    pen.fill();
    pen.beginPath();
    pen.roundRect(box.left, box.top, box.right - box.left, box.bottom - box.top, 9);
    pen.fillStyle = "#fff";
    pen.fill();
    pen.strokeStyle = color;
    pen.lineWidth = 2;
    pen.stroke();
    pen.font = STYLE;
    pen.fillStyle = "#2e2a30";
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    text.lines.forEach((line, row) => pen.fillText(line, box.left + PAD, box.top + 7 + (row + 0.5) * LINE));
    facts.forEach((fact, at) => drawDiamond(pen, box.right - 12 - 14 * at, box.top, 6, fact));
  }

  private layText(said: Utterance, room: number): Text {
    const held = this.texts.get(said.event);
    if (held !== undefined) return held;
    if (this.texts.size > 600) this.texts.clear();
    const long = said.text.length > 110 && room > 600; // wider, so that it is not a tower
    const lines = wrap(said.text, STYLE, Math.min(long ? 290 : 230, room - 60), room > 600 ? 8 : 5);
    const width = Math.max(...lines.map((line) => measure(line, STYLE))) + 2 * PAD;
    const text = { lines, width: Math.max(34, width), height: lines.length * LINE + 14 };
    this.texts.set(said.event, text);
    return text;
  }
}

function listChoices({ x, y }: { x: number; y: number }, { width, height }: Text, disc: number): Box[] {
  const step = disc / 2 + 13;
  const found: Box[] = [];
  for (const dy of [-step - height, step + 16, -height / 2, -2.2 * step - height, 2.2 * step + 16, -3.6 * step - height, 3.6 * step + 16]) {
    for (const dx of [0, 0.3, -0.3, 0.62, -0.62, 0.95, -0.95]) {
      if (dy === -height / 2 && Math.abs(dx) < 0.6) continue;
      found.push(makeBox(x + dx * width - width / 2, y + dy, width, height));
    }
  }
  return found;
}

function keepInside(box: Box, { width, height }: { width: number; height: number }): Box {
  const dx = Math.max(0, 6 - box.left) - Math.max(0, box.right - width + 6);
  const dy = Math.max(0, 6 - box.top) - Math.max(0, box.bottom - height + 6);
  return { left: box.left + dx, top: box.top + dy, right: box.right + dx, bottom: box.bottom + dy };
}

function holds(box: Box, x: number, y: number, margin: number): boolean {
  return x > box.left - margin && x < box.right + margin && y > box.top - margin && y < box.bottom + margin;
}

/** The sign of a fact, everywhere: a diamond in its colour with a white rim. */
export function drawDiamond(pen: Pen, x: number, y: number, size: number, color: string): void {
  pen.beginPath();
  pen.moveTo(x, y - size);
  pen.lineTo(x + size, y);
  pen.lineTo(x, y + size);
  pen.lineTo(x - size, y);
  pen.closePath();
  pen.fillStyle = color;
  pen.fill();
  pen.strokeStyle = "#fff";
  pen.lineWidth = 1.5;
  pen.stroke();
}
