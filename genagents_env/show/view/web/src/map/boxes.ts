// Where labels go: rectangles that do not cover each other, found quickly by a coarse raster.

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const CELL = 64; // pixels

export class Boxes {
  private cells = new Map<number, Box[]>();

  take(box: Box): Box {
    this.visit(box, (key) => {
      const held = this.cells.get(key);
      if (held === undefined) this.cells.set(key, [box]);
      else held.push(box);
      return false;
    });
    return box;
  }

  isFree(box: Box): boolean {
    return !this.visit(box, (key) => (this.cells.get(key) ?? []).some((other) => overlap(box, other) > 0));
  }

  /** How many square pixels of `box` are taken; what several cover counts as often. */
  measureCover(box: Box): number {
    const seen = new Set<Box>();
    this.visit(box, (key) => {
      for (const other of this.cells.get(key) ?? []) seen.add(other);
      return false;
    });
    let total = 0;
    for (const other of seen) total += overlap(box, other);
    return total;
  }

  /** Takes and returns the first of `choices` that covers nothing, or null. */
  takeFree(choices: Iterable<Box>): Box | null {
    for (const box of choices) if (this.isFree(box)) return this.take(box);
    return null;
  }

  private visit(box: Box, look: (key: number) => boolean): boolean {
    const right = Math.floor(box.right / CELL);
    const bottom = Math.floor(box.bottom / CELL);
    for (let row = Math.floor(box.top / CELL); row <= bottom; row++) {
      for (let column = Math.floor(box.left / CELL); column <= right; column++) {
        if (look(row * 65536 + column)) return true;
      }
    }
    return false;
  }
}

export function overlap(one: Box, other: Box): number {
  const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return wide > 0 && high > 0 ? wide * high : 0;
}
