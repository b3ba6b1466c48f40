// The strip of the timeline: density of talk, nights, marks, and the clock's place; drag it to seek.

import { make } from "./dom";
import { findDarkness } from "./map/night";
import { font, measure } from "./map/text";
import type { Marks } from "./marks";
import { BOTTOM, HEIGHT, MarkPainter, TOP } from "./strip_marks";
import type { Spot } from "./strip_marks";
import type { Replay } from "./replay";
import type { Store } from "./store";

type Pen = CanvasRenderingContext2D;

const TALK = 30; // of it for talk
const EDGE = 10; // beside it
const NEAR = 5; // pixels at which a mark is pointed at

export class Strip {
  readonly canvas: HTMLCanvasElement;
  private readonly tip = make("div", { class: "tip", hidden: true });
  private readonly pen: Pen;
  private readonly back = document.createElement("canvas"); // all but the clock's place
  private stale = true;
  private told = -1; // the tick of which screen readers know
  private width = 1;
  private ratio = 1;
  private spots: Spot[] = [];
  private dragging = false;

  constructor(
    element: HTMLElement,
    private readonly replay: Replay,
    private readonly store: Store,
    private readonly marks: Marks,
  ) {
    this.canvas = make("canvas", { class: "strip", tabindex: 0, role: "slider", "aria-label": "Time", "aria-valuemin": 0 });
    element.append(this.canvas, this.tip);
    this.pen = this.canvas.getContext("2d") as Pen;
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
    replay.recording.onGrow(() => this.redraw());
    store.subscribe((_, changed) => {
      if (changed.has("person") || changed.has("fact")) this.redraw();
      else if (changed.has("time")) this.draw();
    });
    this.listen();
  }

  /** As far as the strip goes: to what was planned while the run is written. */
  private get until(): number {
    const { head, lastTick } = this.replay.recording;
    return Math.max(1, lastTick, this.replay.clock.live ? Math.min(head.horizon, Math.ceil(lastTick * 1.25) + 60) : 0);
  }

  private toX(tick: number): number {
    return EDGE + (tick / this.until) * (this.width - 2 * EDGE);
  }

  private toTick(x: number): number {
    return ((x - EDGE) / Math.max(1, this.width - 2 * EDGE)) * this.until;
  }

  private resize(): void {
    const { width } = this.canvas.getBoundingClientRect();
    if (width === 0) return;
    this.width = width;
    this.ratio = Math.min(3, window.devicePixelRatio || 1);
    this.canvas.width = this.back.width = Math.round(width * this.ratio);
    this.canvas.height = this.back.height = HEIGHT * this.ratio;
    this.redraw();
  }

  private redraw(): void {
    this.stale = true;
    this.draw();
  }

  private draw(): void {
    const { pen, ratio } = this;
    if (this.stale) this.paintBack();
    if (this.stale) this.told = -1;
    this.stale = false;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.back, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { time } = this.store.get();
    const x = this.toX(time);
    pen.fillStyle = "#8a4b2a";
    pen.fillRect(x - 1, 4, 2, HEIGHT - 18);
    pen.beginPath();
    pen.arc(x, 7, 5.5, 0, 2 * Math.PI);
    pen.fill();
    pen.strokeStyle = "#fff";
    pen.lineWidth = 1.5;
    pen.stroke();
    const tick = Math.floor(time);
    if (tick === this.told) return;
    this.told = tick;
    this.canvas.setAttribute("aria-valuemax", String(this.replay.clock.end));
    this.canvas.setAttribute("aria-valuenow", String(tick));
    this.canvas.setAttribute("aria-valuetext", this.replay.calendar.moment(tick));
  }

  private paintBack(): void {
    const pen = this.back.getContext("2d") as Pen;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, HEIGHT);
    const painter = new MarkPainter(pen, this.replay.recording, this.marks, (tick) => this.toX(tick));
    this.paintNights(pen);
    painter.paintGatherings();
    this.paintTalk(pen);
    this.paintHours(pen);
    painter.paintMarks(this.store.get());
    this.spots = painter.spots;
  }

  private paintNights(pen: Pen): void {
    pen.fillStyle = "#f1eadc";
    pen.beginPath();
    pen.roundRect(EDGE, TOP, this.width - 2 * EDGE, BOTTOM - TOP, 4);
    pen.fill();
    pen.save();
    pen.clip();
    for (let x = EDGE; x < this.width - EDGE; x += 2) {
      const shade = findDarkness(this.replay.calendar.hour(this.toTick(x)));
      if (shade <= 0) continue;
      pen.fillStyle = `rgb(52 60 110 / ${shade * 0.9})`;
      pen.fillRect(x, TOP, 2, BOTTOM - TOP);
    }
    // What is not lived yet.
    const end = this.toX(this.replay.clock.end);
    if (end < this.width - EDGE - 1) {
      pen.fillStyle = "rgb(250 247 240 / 0.75)";
      pen.fillRect(end, TOP, this.width, BOTTOM - TOP);
    }
    pen.restore();
  }

  private paintTalk(pen: Pen): void {
    const { person } = this.store.get();
    const columns = Math.max(1, Math.floor((this.width - 2 * EDGE) / 3));
    const all = this.marks.countTalk(columns, this.until);
    const most = Math.max(3, ...all);
    const bottom = BOTTOM - 1;
    const bars = (counts: Float32Array, color: string): void => {
      pen.fillStyle = color;
      counts.forEach((count, at) => {
        if (count === 0) return;
        const high = Math.max(2, Math.sqrt(count / most) * TALK);
        pen.fillRect(EDGE + at * 3, bottom - high, 2.2, high);
      });
    };
    bars(all, person < 0 ? "#7d8f6a" : "#c3c9b5");
    if (person >= 0) bars(this.marks.countTalk(columns, this.until, person), this.replay.recording.head.people[person]?.color ?? "#3a363c");
  }

  private paintHours(pen: Pen): void {
    const { calendar } = this.replay;
    const perHour = 3600 / calendar.secondsPerTick;
    const width = (perHour / this.until) * (this.width - 2 * EDGE);
    const every = [1 / 6, 1 / 2, 1, 2, 3, 6, 12, 24].find((hours) => hours * width >= 46) ?? 48;
    const first = Math.ceil(calendar.hour(0) / every) * every - calendar.hour(0);
    pen.font = font(10.5, 500);
    pen.textBaseline = "middle";
    let free = 0;
    for (let hours = first; hours * perHour <= this.until; hours += every) {
      const tick = hours * perHour;
      const x = this.toX(tick);
      const midnight = Math.abs(calendar.hour(Math.round(tick)) % 24) < 0.01;
      const text = midnight ? calendar.day(Math.round(tick)) : calendar.clock(Math.round(tick));
      pen.fillStyle = midnight ? "#585054" : "#c9bfae";
      pen.fillRect(x - 0.5, TOP, 1, BOTTOM - TOP);
      const wide = measure(text, pen.font);
      const left = Math.max(EDGE, Math.min(this.width - EDGE - wide, x - wide / 2));
      if (left < free) continue;
      pen.textAlign = "left";
      pen.fillStyle = "#6f686d";
      pen.fillText(text, left, HEIGHT - 7);
      free = left + wide + 8;
    }
  }

  private listen(): void {
    const { canvas } = this;
    const place = (event: PointerEvent): number => event.clientX - canvas.getBoundingClientRect().left;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.dragging = true;
      const near = this.findSpot(place(event));
      this.replay.clock.seek(near === undefined ? this.toTick(place(event)) : near.tick);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.dragging) this.replay.clock.seek(this.toTick(place(event)));
      this.point(place(event));
    });
    const release = (): void => {
      this.dragging = false;
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
    });
    canvas.addEventListener("keydown", (pressed) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: this.until / 20, PageDown: -this.until / 20, Home: -1e9, End: 1e9 }[pressed.key];
      if (by === undefined) return;
      pressed.preventDefault();
      pressed.stopPropagation();
      if (Math.abs(by) === 1) this.replay.clock.step(by);
      else this.replay.clock.seek(this.store.get().time + by);
    });
  }

  private findSpot(x: number): Spot | undefined {
    let best: Spot | undefined;
    for (const spot of this.spots) {
      if (Math.abs(spot.x - x) <= NEAR && (best === undefined || Math.abs(spot.x - x) < Math.abs(best.x - x))) best = spot;
    }
    return best;
  }

  private point(x: number): void {
    const tick = Math.max(0, Math.min(this.replay.clock.end, Math.round(this.toTick(x))));
    const near = this.dragging ? undefined : this.findSpot(x);
    const { calendar } = this.replay;
    const text = near === undefined ? "" : `: ${near.text}`;
    this.tip.textContent = `${calendar.day(near?.tick ?? tick)} ${calendar.clock(near?.tick ?? tick)}${text}`;
    this.tip.hidden = false;
    const wide = this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(4, Math.min(this.width - wide - 4, x - wide / 2))}px`;
  }
}
