// Which part of the town is seen, and how large: the window between tiles and pixels of the screen.

export const LARGEST = 96; // pixels a tile

export interface Bounds {
  left: number;
  top: number;
  width: number;
  height: number;
}

export class Camera {
  x: number; // tile in the middle of the window, with a fraction
  y: number;
  scale = 1; // pixels a tile
  width = 1; // of the window, in pixels
  height = 1;

  /** `bounds`: the part of the town in which anything is. */
  constructor(private readonly bounds: Bounds) {
    this.x = bounds.left + bounds.width / 2;
    this.y = bounds.top + bounds.height / 2;
  }

  /** The scale at which the whole town is in the window. */
  get fitting(): number {
    return Math.max(0.5, Math.min(this.width / this.bounds.width, this.height / this.bounds.height, LARGEST / 2));
  }

  get smallest(): number {
    return this.fitting * 0.8;
  }

  toScreenX(x: number): number {
    return (x - this.x) * this.scale + this.width / 2;
  }

  toScreenY(y: number): number {
    return (y - this.y) * this.scale + this.height / 2;
  }

  toTileX(x: number): number {
    return (x - this.width / 2) / this.scale + this.x;
  }

  toTileY(y: number): number {
    return (y - this.height / 2) / this.scale + this.y;
  }

  fit(): void {
    this.scale = this.fitting;
    this.x = this.bounds.left + this.bounds.width / 2;
    this.y = this.bounds.top + this.bounds.height / 2;
  }

  /** Zooms by a factor around a point of the window, which stays where it is. */
  zoom(factor: number, atX = this.width / 2, atY = this.height / 2): void {
    const x = this.toTileX(atX);
    const y = this.toTileY(atY);
    this.scale = Math.max(this.smallest, Math.min(LARGEST, this.scale * factor));
    this.x += x - this.toTileX(atX);
    this.y += y - this.toTileY(atY);
    this.keepInside();
  }

  /** Moves what is seen, by pixels. */
  pan(dx: number, dy: number): void {
    this.x += dx / this.scale;
    this.y += dy / this.scale;
    this.keepInside();
  }

  /** Keeps the town in the window: centred where it is smaller, else without much beyond its edges. */
  keepInside(): void {
    const { left, top, width, height } = this.bounds;
    this.x = left + keep(this.x - left, width, this.width / this.scale);
    this.y = top + keep(this.y - top, height, this.height / this.scale);
  }

  /** Whether a tile is in the window, or at most `margin` tiles beside it. */
  sees(x: number, y: number, margin = 1): boolean {
    const wide = this.width / this.scale / 2 + margin;
    const high = this.height / this.scale / 2 + margin;
    return Math.abs(x - this.x) < wide && Math.abs(y - this.y) < high;
  }
}

function keep(middle: number, size: number, seen: number): number {
  if (seen >= size) return size / 2;
  const slack = Math.min(2, seen / 4); // tiles beyond the edge
  return Math.max(seen / 2 - slack, Math.min(size - seen / 2 + slack, middle));
}
