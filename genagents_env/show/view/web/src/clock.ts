// The viewer's clock: plays town time, steps, seeks, and keeps to the end of a run that is written.

import type { Recording } from "./recording";
import type { Store } from "./store";

export const SPEEDS = [1, 2, 5, 10, 20, 60, 120, 250, 500]; // simulated seconds a second
const LAG = 10; // seconds of playing that the page may be behind the end of a live run, so that people walk while minds think
const CATCH_UP = 0.8; // seconds in which most of the way to that is made

export class Clock {
  private last = 0; // milliseconds of the last frame; 0 while nothing moves
  private kept = false; // whether it keeps to the end of a live run
  private resting = false; // whether it stopped there, because nobody writes the run on

  constructor(
    private readonly store: Store,
    private readonly recording: Recording,
  ) {
    recording.onGrow(() => {
      if (this.resting && this.live) this.followEnd(); // the run was resumed
    });
    store.subscribe((look, changed) => {
      if (changed.has("playing") && look.playing && !this.live && look.time >= this.end) store.set({ time: 0 });
    });
  }

  get end(): number {
    return Math.max(0, this.recording.lastTick);
  }

  /** Whether the run is still being written. */
  get live(): boolean {
    return this.recording.head.live && this.recording.head.status.state === "running";
  }

  /** Whether the clock goes along with a run that is being written. */
  get following(): boolean {
    return this.kept && this.live;
  }

  /** Where one begins to look at a live run. */
  get recent(): number {
    return Math.max(0, this.recording.head.status.lastTick - LAG * this.pace);
  }

  /** Ticks a second at the speed chosen. */
  private get pace(): number {
    return this.store.get().speed / this.recording.head.secondsPerTick;
  }

  /** Goes to the end, or to `time`, and goes along with the run as it grows. */
  followEnd(time = this.end): void {
    this.kept = true;
    this.resting = false;
    this.store.set({ time, playing: true });
  }

  /** Goes to a time, within what is recorded; at the end of a live run it stays at the end. */
  seek(time: number): void {
    const to = Math.max(0, Math.min(this.end, time));
    this.kept = this.live && to >= this.end;
    this.resting = false;
    this.store.set({ time: to });
  }

  /** Stops, and goes so many whole ticks on or back. */
  step(ticks: number): void {
    this.store.set({ playing: false });
    const { time } = this.store.get();
    this.seek(ticks < 0 ? Math.ceil(time) + ticks : Math.floor(time) + ticks);
  }

  toggle(): void {
    this.store.set({ playing: !this.store.get().playing });
  }

  /** Takes the next or previous of the speeds. */
  changeSpeed(by: number): void {
    const { speed } = this.store.get();
    const nearest = SPEEDS.reduce((best, one, at) => (Math.abs(one - speed) < Math.abs((SPEEDS[best] ?? 1) - speed) ? at : best), 0);
    this.store.set({ speed: SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, nearest + by))] ?? speed });
  }

  /** Moves on by the time since the last frame; `now` in milliseconds. */
  frame(now: number): void {
    const { time, playing } = this.store.get();
    const passed = this.last === 0 ? 0 : Math.min(0.25, (now - this.last) / 1000);
    this.last = playing ? now : 0;
    if (!playing) return;
    this.resting = this.kept && !this.live;
    if (this.following) {
      const left = this.end - time;
      const late = Math.max(0, left - LAG * this.pace);
      const go = Math.max(this.pace * passed, late * (1 - Math.exp(-passed / CATCH_UP)));
      if (left > 0) this.store.set({ time: Math.min(this.end, time + go) });
      return;
    }
    const next = time + passed * this.pace;
    if (next < this.end) this.store.set({ time: next });
    else {
      this.kept = this.live || this.resting;
      this.store.set({ time: this.end, playing: this.live });
    }
  }
}
