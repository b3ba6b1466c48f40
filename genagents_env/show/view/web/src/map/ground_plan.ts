// The tiles of the town as arrays, decoded once, with what is drawn and walked by them.

import { readColor } from "../colors";
import type { Color } from "../colors";
import type { Town } from "../protocol";

export const OUTSIDE = 0; // the arena that is the open ground
export const FREE = 0;
export const WALL = 2;

export class GroundPlan {
  readonly width: number;
  readonly height: number;
  readonly arena: Uint16Array;
  readonly blocked: Uint8Array;
  readonly isDoor: Uint8Array;

  constructor(readonly town: Town) {
    this.width = town.width;
    this.height = town.height;
    this.arena = new Uint16Array(decode(town.arena).buffer);
    this.blocked = decode(town.blocked);
    this.isDoor = new Uint8Array(this.width * this.height);
    for (const [x, y] of town.doors) this.isDoor[y * this.width + x] = 1;
  }

  /** The part of the town in which anything is, with a little around it. */
  findBounds(): { left: number; top: number; width: number; height: number } {
    let [left, top, right, bottom] = [this.width, this.height, 0, 0];
    for (let tile = 0; tile < this.arena.length; tile++) {
      if (this.arena[tile] === OUTSIDE && this.blocked[tile] !== WALL) continue;
      const x = tile % this.width;
      const y = Math.floor(tile / this.width);
      left = Math.min(left, x);
      top = Math.min(top, y);
      right = Math.max(right, x + 1);
      bottom = Math.max(bottom, y + 1);
    }
    if (right === 0) return { left: 0, top: 0, width: this.width, height: this.height };
    left = Math.max(0, left - 2);
    top = Math.max(0, top - 2);
    return { left, top, width: Math.min(this.width, right + 2) - left, height: Math.min(this.height, bottom + 2) - top };
  }

  at(x: number, y: number): number {
    return x < 0 || y < 0 || x >= this.width || y >= this.height ? -1 : y * this.width + x;
  }

  isFree(x: number, y: number): boolean {
    const tile = this.at(x, y);
    return tile >= 0 && this.blocked[tile] === FREE;
  }

  isWall(x: number, y: number): boolean {
    const tile = this.at(x, y);
    return tile >= 0 && this.blocked[tile] === WALL;
  }

  /** The town at a pixel a tile, to be drawn enlarged: floors, hedges and walls. */
  paintTiles(): HTMLCanvasElement {
    const { town, width, height } = this;
    const floors = town.arenas.map((arena, index) => (index === OUTSIDE ? this.grass : readColor(arena.color)));
    const hedge = readColor(town.colors["hedge"] ?? "#89a67c");
    const wall = readColor(town.colors["wall"] ?? "#9e928a");
    return paintPixels(width, height, (tile) => {
      const kind = this.blocked[tile];
      const color = kind === WALL ? wall : kind === FREE ? (floors[this.arena[tile] ?? 0] ?? wall) : hedge;
      return kind === FREE ? lighten(color, tile % width, Math.floor(tile / width)) : color;
    });
  }

  /** Two by two tiles of the open ground, a pixel each. */
  paintMeadow(): HTMLCanvasElement {
    return paintPixels(2, 2, (tile) => lighten(this.grass, tile % 2, tile >> 1));
  }

  private get grass(): Color {
    return readColor(this.town.colors["grass"] ?? this.town.arenas[OUTSIDE]?.color ?? "#d6e4c7");
  }
}

/** Every other tile is a little lighter, so that distances can be seen. */
function lighten(color: Color, x: number, y: number): Color {
  const by = (x + y) % 2 === 1 ? 4 : 0;
  return [Math.min(255, color[0] + by), Math.min(255, color[1] + by), Math.min(255, color[2] + by)];
}

function paintPixels(width: number, height: number, find: (pixel: number) => Color): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  if (pen === null) throw new Error("this browser draws no pictures");
  const image = pen.createImageData(width, height);
  for (let pixel = 0; pixel < width * height; pixel++) image.data.set([...find(pixel), 255], 4 * pixel);
  pen.putImageData(image, 0, 0);
  return canvas;
}

function decode(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
