// The map: the town from above, its people at the time of the clock, and what one points at.

import { make } from "../dom";
import { Motion } from "../motion";
import type { AgentIndex } from "../protocol";
import type { Replay } from "../replay";
import type { State } from "../state";
import type { Store } from "../store";
import { Boxes } from "./boxes";
import type { Box } from "./boxes";
import { Bubbles, Speech } from "./bubbles";
import type { Placed } from "./bubbles";
import { Camera } from "./camera";
import { listenToGestures } from "./gestures";
import { Ground } from "./ground";
import { GroundPlan } from "./ground_plan";
import { findDarkness, Lamps, NIGHT } from "./night";
import { People } from "./people";
import { drawTrail } from "./trail";

const FOLLOWED = 24; // pixels a tile, at least, where somebody is followed
const GLIDE = 0.16; // seconds in which the camera makes most of its way
const JUMP = 6; // ticks in a frame after which people are where they are at once

export interface Hit {
  agent: AgentIndex | -1;
  object: number;
  event: number; // of a bubble
}

export class TownMap {
  readonly canvas: HTMLCanvasElement;
  readonly camera: Camera;
  readonly plan: GroundPlan;
  readonly motion: Motion;
  readonly people: People;
  /** Milliseconds that the last frames took to draw. */
  readonly costs: number[] = [];
  onHover: (hit: Hit, x: number, y: number) => void = () => undefined;

  private readonly pen: CanvasRenderingContext2D;
  private readonly ground: Ground;
  private readonly lamps: Lamps;
  private readonly speech: Speech;
  private readonly bubbles = new Bubbles();
  private placed: Placed[] = [];
  private covered: Box[] = [];
  private coverStale = true;
  private hovered: AgentIndex | -1 = -1;
  private ratio = 1;
  private dirty = true;
  private settling = 0; // milliseconds until which things still move
  private last = 0;
  private lastTime = -1;
  private aim: { x: number; y: number; scale: number } | null = null; // where the camera goes
  private readonly calm = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(
    element: HTMLElement,
    private readonly replay: Replay,
    private readonly store: Store,
  ) {
    const { recording } = replay;
    this.canvas = make("canvas", { class: "town", tabindex: 0, role: "application", "aria-label": "Map. Arrow keys move it, plus and minus zoom, 0 shows the whole town." });
    element.append(this.canvas);
    this.pen = this.canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    this.plan = new GroundPlan(recording.town);
    this.camera = new Camera(this.plan.findBounds());
    this.ground = new Ground(this.plan);
    this.lamps = new Lamps(this.plan);
    this.people = new People(replay);
    this.speech = new Speech(recording);
    this.motion = new Motion(this.plan, recording.head.tilesPerTick, () => Math.max(0, recording.lastTick), (tick) => recording.positions(tick));
    recording.onGrow((from) => this.motion.forget(from));
    recording.onGrow(() => this.touch());
    recording.onArrive(() => this.touch());
    store.subscribe((look, changed) => {
      if (changed.has("zoom")) this.takeZoom(look.zoom);
      if (changed.has("object") || changed.has("person")) this.coverStale = true;
      if ((changed.has("follow") || changed.has("person")) && look.follow) this.aimAt(look.person);
      this.touch();
    });
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
    listenToGestures(this.canvas, {
      pan: (dx, dy) => this.pan(dx, dy),
      zoom: (factor, x, y) => this.zoom(factor, x, y),
      click: (x, y) => this.click(x, y),
      follow: (x, y) => {
        const { agent } = this.hit(x, y);
        if (agent >= 0) store.set({ person: agent, follow: true });
      },
      hover: (x, y) => this.hover(x, y),
      leave: () => this.hover(-1000, -1000),
    });
  }

  /** Brings the map to where the address wants it, at once, when people can first be shown. */
  start(): void {
    const { zoom, person, follow, time } = this.store.get();
    this.motion.find(time, this.people.positions);
    if (zoom > 0) this.camera.scale = zoom;
    if (person >= 0 && (zoom > 0 || follow)) this.aimAt(person);
    if (this.aim !== null && zoom > 0) this.aim.scale = zoom;
    if (this.aim !== null) Object.assign(this.camera, this.aim);
    this.camera.keepInside();
    this.aim = null;
    this.touch();
  }

  /** Brings somebody into the window, where they are not. */
  show(agent: AgentIndex | -1): void {
    if (agent < 0) return;
    this.motion.find(this.store.get().time, this.people.positions);
    const x = this.people.positions[2 * agent] ?? -1;
    const y = this.people.positions[2 * agent + 1] ?? -1;
    if (x >= 0 && !this.camera.sees(x, y, -2)) this.aim = { x: x + 0.5, y: y + 0.5, scale: this.camera.scale };
    this.touch();
  }

  /** Has the map drawn again. */
  touch(): void {
    this.dirty = true;
  }

  pan(dx: number, dy: number): void {
    this.aim = null;
    this.store.set({ follow: false });
    this.camera.pan(dx, dy);
    this.touch();
  }

  /** Zooms around a point of the window; without one around its middle, smoothly. */
  zoom(factor: number, x?: number, y?: number): void {
    if (x === undefined || y === undefined) {
      const from = this.aim?.scale ?? this.camera.scale;
      this.aim = { x: this.camera.x, y: this.camera.y, scale: Math.max(this.camera.smallest, Math.min(96, from * factor)) };
    } else {
      this.aim = null;
      this.camera.zoom(factor, x, y);
      this.tellZoom();
    }
    this.touch();
  }

  /** Shows the whole town. */
  fit(): void {
    this.store.set({ zoom: 0, follow: false });
    this.takeZoom(0);
  }

  private takeZoom(zoom: number): void {
    if (zoom === 0) {
      const { fitting } = this.camera;
      const bounds = this.plan.findBounds();
      this.aim = { x: bounds.left + bounds.width / 2, y: bounds.top + bounds.height / 2, scale: fitting };
    } else if (Math.abs(zoom - (this.aim?.scale ?? this.camera.scale)) > 0.06) this.aim = { x: this.camera.x, y: this.camera.y, scale: zoom };
  }

  private tellZoom(): void {
    const scale = Math.round(this.camera.scale * 10) / 10;
    this.store.set({ zoom: Math.abs(scale - this.camera.fitting) < 0.06 ? 0 : scale });
  }

  /** Goes to somebody, near enough to see them. */
  aimAt(agent: AgentIndex): void {
    const x = this.people.positions[2 * agent];
    const y = this.people.positions[2 * agent + 1];
    if (x === undefined || y === undefined || x < 0) return;
    this.aim = { x: x + 0.5, y: y + 0.5, scale: Math.max(FOLLOWED, this.camera.scale) };
  }

  /** Notes what buttons and cards cover of the map, so that words keep clear of them. */
  private noteCovered(): void {
    this.coverStale = false;
    const { left, top } = this.canvas.getBoundingClientRect();
    this.covered = [...(this.canvas.parentElement?.querySelectorAll(".map-buttons, .card") ?? [])].map((element) => {
      const box = element.getBoundingClientRect();
      return { left: box.left - left, top: box.top - top, right: box.right - left, bottom: box.bottom - top };
    });
  }

  private resize(): void {
    const box = this.canvas.parentElement?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return;
    const whole = this.store.get().zoom === 0;
    this.ratio = Math.min(3, window.devicePixelRatio || 1);
    this.camera.width = box.width;
    this.camera.height = box.height;
    this.canvas.width = Math.round(box.width * this.ratio);
    this.canvas.height = Math.round(box.height * this.ratio);
    if (whole) this.camera.fit();
    this.camera.keepInside();
    this.coverStale = true;
    this.touch();
  }

  private click(x: number, y: number): void {
    const { agent, object, event } = this.hit(x, y);
    if (event >= 0) this.store.set({ event });
    else if (agent >= 0) this.store.set({ person: agent, panel: "person" });
    else if (object >= 0) this.store.set({ object });
    else this.store.set({ person: -1, object: -1, follow: false });
  }

  private hover(x: number, y: number): void {
    const hit = this.hit(x, y);
    this.canvas.style.cursor = hit.agent >= 0 || hit.object >= 0 || hit.event >= 0 ? "pointer" : "grab";
    if (hit.agent !== this.hovered) this.touch();
    this.hovered = hit.agent;
    this.onHover(hit, x, y);
  }

  private hit(x: number, y: number): Hit {
    const bubble = this.placed.find(({ box }) => x > box.left && x < box.right && y > box.top && y < box.bottom);
    if (bubble !== undefined) return { agent: -1, object: -1, event: bubble.said.event };
    const agent = this.people.find(x, y);
    if (agent >= 0) return { agent, object: -1, event: -1 };
    const column = Math.floor(this.camera.toTileX(x));
    const row = Math.floor(this.camera.toTileY(y));
    const object = this.camera.scale < 9 ? -1 : this.replay.recording.town.objects.findIndex(({ tiles }) => tiles.some(([tx, ty]) => tx === column && ty === row));
    return { agent: -1, object, event: -1 };
  }

  /** Draws the map where anything changed; `now` in milliseconds. */
  frame(now: number): void {
    if (!this.dirty && now > this.settling) return;
    const begun = performance.now();
    const passed = Math.min(0.1, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    const { camera, pen, replay } = this;
    const look = this.store.get();
    const jumped = this.lastTime < 0 || Math.abs(look.time - this.lastTime) > JUMP;
    if (look.time !== this.lastTime) this.settling = now + 600;
    this.lastTime = look.time;
    const state = replay.states.at(look.time);
    this.motion.find(look.time, this.people.positions);
    this.moveCamera(look.follow ? look.person : -1, passed);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = replay.recording.town.colors["grass"] ?? "#d6e4c7";
    pen.fillRect(0, 0, camera.width, camera.height);
    const blurred = this.ground.draw(pen, camera, this.ratio, now);
    this.drawNight(look.time, state);
    this.people.settle(camera, state, jumped || this.calm.matches ? 0 : passed);
    if (look.person >= 0) drawTrail(pen, camera, replay.recording, look.person, look.time);
    if (this.coverStale) this.noteCovered();
    const boxes = new Boxes();
    for (const box of this.covered) boxes.take(box);
    this.ground.takeSigns(camera, boxes);
    this.people.draw(pen, camera, state, look, this.hovered, this.ratio, boxes);
    this.drawSpeech(look.time, look.speed, look.person, boxes);
    this.dirty = this.aim !== null || blurred;
    this.costs.push(performance.now() - begun);
    if (this.costs.length > 600) this.costs.shift();
  }

  private moveCamera(followed: AgentIndex | -1, passed: number): void {
    const { camera } = this;
    if (followed >= 0) {
      const x = (this.people.positions[2 * followed] ?? camera.x) + 0.5;
      const y = (this.people.positions[2 * followed + 1] ?? camera.y) + 0.5;
      if (x > 0) this.aim = { x, y, scale: this.aim?.scale ?? camera.scale };
    }
    if (this.aim === null) return;
    const share = this.calm.matches || passed === 0 ? 1 : 1 - Math.exp(-passed / GLIDE);
    const near = Math.abs(Math.log(this.aim.scale / camera.scale)) < 0.004 && Math.hypot(this.aim.x - camera.x, this.aim.y - camera.y) * camera.scale < 0.4;
    const step = near ? 1 : share;
    camera.scale *= (this.aim.scale / camera.scale) ** step;
    if (near) camera.scale = this.aim.scale;
    const [x, y] = [camera.x, camera.y];
    camera.x += (this.aim.x - camera.x) * step;
    camera.y += (this.aim.y - camera.y) * step;
    camera.keepInside();
    const stuck = Math.hypot(x - camera.x, y - camera.y) * camera.scale < 0.01 && Math.abs(Math.log(this.aim.scale / camera.scale)) < 0.004;
    if (near || (stuck && share < 1)) {
      this.aim = null;
      this.tellZoom();
    }
  }

  private drawNight(time: number, state: State): void {
    const shade = findDarkness(this.replay.calendar.hour(time));
    if (shade <= 0) return;
    this.pen.fillStyle = `rgb(${NIGHT} / ${shade})`;
    this.pen.fillRect(0, 0, this.camera.width, this.camera.height);
    const lit = new Set<number>();
    state.place.forEach((place, i) => {
      if (place > 0 && state.present[i] === 1 && state.asleep[i] !== 1) lit.add(place);
    });
    this.lamps.draw(this.pen, this.camera, this.ratio, lit, shade);
  }

  private drawSpeech(time: number, speed: number, selected: AgentIndex | -1, boxes: Boxes): void {
    const { camera, pen, people, replay } = this;
    const { head } = replay.recording;
    const said = this.speech.find(time, speed).filter((one) => people.spot(one.agent) !== undefined);
    const near = (one: { agent: AgentIndex; facts: number[] }): number => (one.agent === selected ? 0 : one.facts.length > 0 ? 1 : 2);
    said.sort((a, b) => near(a) - near(b));
    const most = Math.max(2, Math.round((camera.width * camera.height) / 70000));
    const window = { width: camera.width, height: camera.height };
    this.placed = this.bubbles.place(said, (i) => people.spot(i), people.disc, window, boxes, most, selected);
    for (const placed of [...this.placed].reverse()) {
      const spot = people.spot(placed.said.agent);
      if (spot === undefined) continue;
      const facts = placed.said.facts.map((fact) => head.facts[fact]?.color ?? "#3a363c");
      this.bubbles.draw(pen, placed, spot, people.disc, head.people[placed.said.agent]?.color ?? "#3a363c", facts);
    }
  }
}
