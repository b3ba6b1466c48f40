// Where people are between ticks: from tile to tile at the speed at which they walk.
//
// Everybody takes the town's steps together, and step k ends when the speed has got one k tiles far:
// at a speed of v tiles a tick it takes from (k - 1) / v to k / v. The record has where people stood
// as each tick ended; which tiles they stepped on in between is a shortest path. This is the rule of
// genagents_env/show/render/motion.py, so that page and film agree.

import type { Tick } from "./protocol";

const CLOSE = 1e-9; // of a tile
const MOST = 24; // tiles of a path that are searched for; who goes further in a tick glides

export interface Walkable {
  width: number;
  height: number;
  blocked: Uint8Array; // 0: one can walk there
}

export class Motion {
  private trails = new Map<Tick, Int32Array[]>(); // of the ticks looked at last
  private readonly steps: Int32Array; // of a search: how far a tile is, by `search`
  private readonly seen: Int32Array;
  private readonly before: Int32Array;
  private search = 0;

  /** `tilesAt` gives everyone's tiles (row * width + column; -1 where unknown) as a tick ended. */
  constructor(
    private readonly ground: Walkable,
    private readonly speed: number,
    private readonly lastTick: () => Tick,
    private readonly positions: (tick: Tick) => Int16Array | undefined,
  ) {
    const count = ground.width * ground.height;
    this.steps = new Int32Array(count);
    this.seen = new Int32Array(count);
    this.before = new Int32Array(count);
  }

  /** Forgets the paths from a tick on. */
  forget(from: Tick): void {
    for (const tick of [...this.trails.keys()]) if (tick >= from) this.trails.delete(tick);
  }

  /** Writes columns and rows of everyone at a time, x and y in turn; false where they are not loaded. */
  find(time: number, out: Float32Array): boolean {
    const last = this.lastTick();
    const at = Math.max(0, Math.min(time, last));
    const gone = at * this.speed;
    const done = Math.floor(gone + CLOSE);
    const tick = this.findTick(done + 1);
    const standing = Math.max(Math.floor(at), this.findTick(done));
    if (tick > last) return this.stand(Math.min(standing, last), out);
    const before = this.positions(tick - 1);
    const waiting = standing < tick - 1 ? this.positions(standing) : before;
    const trails = this.findTrails(tick);
    if (before === undefined || waiting === undefined || trails === undefined) return this.stand(Math.floor(at), out);
    const step = done - this.countSteps(tick - 1);
    const share = Math.max(0, gone - done);
    const { width } = this.ground;
    for (let i = 0; i < trails.length; i++) {
      const trail = trails[i] as Int32Array;
      const here = (waiting[2 * i + 1] as number) * width + (waiting[2 * i] as number);
      // Who is put elsewhere before this step is still where they were.
      const own = trail[0] === here;
      const a = own ? (trail[Math.min(step, trail.length - 1)] as number) : here;
      const b = own ? (trail[Math.min(step + 1, trail.length - 1)] as number) : here;
      out[2 * i] = (a % width) * (1 - share) + (b % width) * share;
      out[2 * i + 1] = Math.floor(a / width) * (1 - share) + Math.floor(b / width) * share;
    }
    return true;
  }

  private stand(tick: Tick, out: Float32Array): boolean {
    const at = this.positions(tick);
    if (at === undefined) return false;
    out.set(at);
    return true;
  }

  /** How many steps have been taken as `tick` ends. */
  private countSteps(tick: Tick): number {
    return Math.floor(tick * this.speed + CLOSE);
  }

  /** The tick in which a step is taken. */
  private findTick(step: number): Tick {
    let tick = Math.ceil(step / this.speed - CLOSE);
    while (this.countSteps(tick) < step) tick++;
    return Math.max(0, tick);
  }

  private findTrails(tick: Tick): Int32Array[] | undefined {
    const held = this.trails.get(tick);
    if (held !== undefined) return held;
    const from = this.positions(tick - 1);
    const to = this.positions(tick);
    if (from === undefined || to === undefined) return undefined;
    const most = this.countSteps(tick) - this.countSteps(tick - 1);
    const { width } = this.ground;
    const found: Int32Array[] = [];
    for (let i = 0; 2 * i < from.length; i++) {
      const here = (from[2 * i + 1] as number) * width + (from[2 * i] as number);
      const there = (to[2 * i + 1] as number) * width + (to[2 * i] as number);
      found.push(this.findTrail(here, there, Math.min(most, MOST)));
    }
    if (this.trails.size > 8) this.trails.delete(this.trails.keys().next().value as Tick);
    this.trails.set(tick, found);
    return found;
  }

  /** The tiles from one to another, both included; the first alone where no short path leads there. */
  findTrail(here: number, there: number, most: number): Int32Array {
    if (here === there) return Int32Array.of(here);
    const { width, blocked } = this.ground;
    const apart = Math.abs((here % width) - (there % width)) + Math.abs(Math.floor(here / width) - Math.floor(there / width));
    if (apart > most) return Int32Array.of(here);
    if (apart === 1) return Int32Array.of(here, there);
    this.search++;
    const queue = [here];
    this.mark(here, 0, here);
    for (let next = 0; next < queue.length; next++) {
      const tile = queue[next] as number;
      if (tile === there) return this.trace(here, there);
      const steps = (this.steps[tile] as number) + 1;
      const x = tile % width;
      for (const near of [x > 0 ? tile - 1 : -1, x < width - 1 ? tile + 1 : -1, tile - width, tile + width]) {
        if (near < 0 || near >= blocked.length || this.seen[near] === this.search || (blocked[near] !== 0 && near !== there)) continue;
        const ahead = Math.abs((near % width) - (there % width)) + Math.abs(Math.floor(near / width) - Math.floor(there / width));
        if (steps + ahead > most) continue;
        this.mark(near, steps, tile);
        queue.push(near);
      }
    }
    return Int32Array.of(here);
  }

  private mark(tile: number, steps: number, before: number): void {
    this.seen[tile] = this.search;
    this.steps[tile] = steps;
    this.before[tile] = before;
  }

  private trace(here: number, there: number): Int32Array {
    const path = [there];
    for (let tile = there; tile !== here; ) {
      tile = this.before[tile] as number;
      path.push(tile);
    }
    return Int32Array.from(path.reverse());
  }
}
