// Where discs are drawn so that nobody covers another: those too near push each other apart.

const ROUNDS = 8;
const FURTHEST = 3.2; // times the distance they keep
const MANY = 300; // of whom one round is enough: they are dots
const EASE = 0.14; // seconds in which most of the way to a new place beside others is made

/** Shifts of N people from where they stand, in pixels: x and y in turn. */
export class Crowd {
  readonly shift: Float32Array;
  private readonly wanted: Float32Array;
  private readonly cells = new Map<number, number[]>();

  constructor(count: number) {
    this.shift = new Float32Array(2 * count);
    this.wanted = new Float32Array(2 * count);
  }

  /**
   * Finds the shifts of `shown`, who stand at `at` (pixels, x and y in turn); they keep `apart`.
   *
   * `passed` is in seconds: people are pushed gently; 0 puts them there at once.
   */
  settle(shown: number[], at: Float32Array, apart: number, passed: number): void {
    const { wanted, shift } = this;
    this.spread(shown, at, apart);
    const most = apart * FURTHEST;
    const rounds = shown.length > MANY ? 1 : ROUNDS;
    for (let round = 0; round < rounds; round++) if (!this.push(shown, at, apart, most)) break;
    const share = passed <= 0 ? 1 : 1 - Math.exp(-passed / EASE);
    for (const i of shown) {
      for (const k of [2 * i, 2 * i + 1]) shift[k] = (shift[k] as number) + ((wanted[k] as number) - (shift[k] as number)) * share;
    }
  }

  /** Those on one spot begin side by side, or as the seeds of a sunflower where they are many. */
  private spread(shown: number[], at: Float32Array, apart: number): void {
    const spots = new Map<number, number[]>();
    for (const i of shown) {
      this.wanted[2 * i] = this.wanted[2 * i + 1] = 0;
      const key = Math.round(at[2 * i] as number) * 65536 + Math.round(at[2 * i + 1] as number);
      const group = spots.get(key);
      if (group === undefined) spots.set(key, [i]);
      else group.push(i);
    }
    for (const group of spots.values()) {
      if (group.length === 1) continue;
      group.forEach((i, place) => {
        const row = group.length <= 3;
        const far = row ? place - (group.length - 1) / 2 : 0.6 * Math.sqrt(place);
        const angle = row ? 0 : place * 2.39996;
        this.wanted[2 * i] = apart * far * Math.cos(angle);
        this.wanted[2 * i + 1] = apart * far * Math.sin(angle);
      });
    }
  }

  private push(shown: number[], at: Float32Array, apart: number, most: number): boolean {
    const { wanted, cells } = this;
    cells.clear();
    const x = (i: number): number => (at[2 * i] as number) + (wanted[2 * i] as number);
    const y = (i: number): number => (at[2 * i + 1] as number) + (wanted[2 * i + 1] as number);
    let moved = false;
    for (const i of shown) {
      const column = Math.floor(x(i) / apart);
      const row = Math.floor(y(i) / apart);
      for (let r = row - 1; r <= row + 1; r++) {
        for (let c = column - 1; c <= column + 1; c++) {
          for (const j of cells.get(r * 65536 + c) ?? []) if (this.part(i, j, x(j) - x(i), y(j) - y(i), apart, most)) moved = true;
        }
      }
      const key = row * 65536 + column;
      const cell = cells.get(key);
      if (cell === undefined) cells.set(key, [i]);
      else cell.push(i);
    }
    return moved;
  }

  private part(i: number, j: number, dx: number, dy: number, apart: number, most: number): boolean {
    const far = Math.hypot(dx, dy);
    if (far >= apart) return false;
    if (far < 1e-3) return false;
    dx /= far;
    dy /= far;
    const by = (apart - far) / 2 + 0.1;
    this.move(i, -dx * by, -dy * by, most);
    this.move(j, dx * by, dy * by, most);
    return true;
  }

  private move(i: number, dx: number, dy: number, most: number): void {
    const clamp = (value: number): number => Math.max(-most, Math.min(most, value));
    this.wanted[2 * i] = clamp((this.wanted[2 * i] as number) + dx);
    this.wanted[2 * i + 1] = clamp((this.wanted[2 * i + 1] as number) + dy);
  }
}
