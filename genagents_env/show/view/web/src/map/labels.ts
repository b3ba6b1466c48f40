// The names on the ground at one scale: signs of buildings, names of rooms, things and their names.
// Places are in pixels from the town's upper left corner. As genagents_env/show/render lays them out:
// signs first, then things, room names where they fit on their floor, last the names of things.

import { Boxes } from "./boxes";
import type { Box } from "./boxes";
import { OUTSIDE } from "./ground_plan";
import type { GroundPlan } from "./ground_plan";
import { cut, font, measure } from "./text";

const SIGNS_FROM = 3; // pixels a tile from which there are signs
const ROOMS_FROM = 8;
const THINGS_FROM = 9;
const NAMES_FROM = 20; // of things
const CORNER = 4; // tiles of another building that a sign may cover

export interface Label {
  text: string;
  x: number; // middle
  y: number; // middle
  font: string;
  box: Box;
}

export interface Thing {
  object: number;
  box: Box; // of its sign
}

export interface Labels {
  signs: Label[];
  rooms: Label[];
  things: Thing[];
  names: Label[];
}

interface Extent {
  left: number;
  top: number;
  right: number; // excluded
  bottom: number;
}

export class Labeller {
  private readonly rooms: (Extent | undefined)[] = []; // of arenas: their free floor
  private readonly sectors: (Extent | undefined)[] = []; // with their walls' inner tiles
  private readonly held = new Map<number, Labels>();

  constructor(private readonly plan: GroundPlan) {
    for (let y = 0; y < plan.height; y++) {
      for (let x = 0; x < plan.width; x++) {
        const tile = plan.at(x, y);
        const arena = plan.arena[tile] ?? OUTSIDE;
        if (arena === OUTSIDE) continue;
        const sector = plan.town.arenas[arena]?.sector ?? 0;
        this.sectors[sector] = extend(this.sectors[sector], x, y);
        if (plan.blocked[tile] === 0 && plan.isDoor[tile] === 0) this.rooms[arena] = extend(this.rooms[arena], x, y);
      }
    }
  }

  /** The labels at a scale, in pixels a tile. */
  lay(scale: number): Labels {
    const known = this.held.get(scale);
    if (known !== undefined) return known;
    const boxes = new Boxes();
    const signs = scale >= SIGNS_FROM ? this.laySigns(scale, boxes) : [];
    const things = scale >= THINGS_FROM ? this.layThings(scale, boxes) : [];
    const rooms = scale >= ROOMS_FROM ? this.layRooms(scale, boxes) : [];
    const names = scale >= NAMES_FROM ? this.layNames(scale, boxes, things) : [];
    const labels = { signs, things, rooms, names };
    if (this.held.size > 12) this.held.clear();
    this.held.set(scale, labels);
    return labels;
  }

  private laySigns(t: number, boxes: Boxes): Label[] {
    const size = Math.max(9, Math.min(18, Math.round(t * 0.66)));
    const style = font(size, 700);
    const pad = Math.max(3, Math.round(size * 0.32));
    const found: Label[] = [];
    const { town } = this.plan;
    const order = this.sectors.map((_, sector) => sector).filter((sector) => this.sectors[sector] !== undefined);
    const area = (sector: number): number => {
      const s = this.sectors[sector];
      return s === undefined ? 0 : (s.right - s.left) * (s.bottom - s.top);
    };
    order.sort((a, b) => area(b) - area(a)); // the largest first: where all do not fit, those do
    for (const sector of order) {
      const extent = this.sectors[sector];
      const name = town.sectors[sector]?.name ?? "";
      if (extent === undefined || name === "") continue;
      // Where the town is far away, a name may be as wide as its building and a little more.
      const room = t >= 12 ? 1e6 : Math.max(64, (extent.right - extent.left + 4) * t);
      const text = cut(name, style, room);
      if (text === "") continue;
      const wide = measure(text, style) + 4 * pad;
      const high = size + 2 * pad;
      const middle = ((extent.left + extent.right) * t) / 2;
      const top = extent.top * t - t / 2 - high / 2;
      const choices = [0, -t, t, -high, high].map((dy) => makeBox(middle - wide / 2, top + dy, wide, high));
      for (const arena of this.roomsOf(sector)) choices.push(makeBox(((arena.left + arena.right) * t) / 2 - wide / 2, arena.top * t - t / 2 - high / 2, wide, high));
      const own = choices.filter((box) => !this.coversOthers(box, sector, t));
      const box = boxes.takeFree(own) ?? boxes.takeFree(choices);
      if (box === null) continue;
      found.push({ text, x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, font: style, box });
    }
    return found;
  }

  private roomsOf(sector: number): Extent[] {
    return this.rooms.filter((extent, arena): extent is Extent => extent !== undefined && this.plan.town.arenas[arena]?.sector === sector);
  }

  private coversOthers(box: Box, sector: number, t: number): boolean {
    let count = 0;
    for (let y = Math.floor(box.top / t); y <= Math.floor(box.bottom / t); y++) {
      for (let x = Math.floor(box.left / t); x <= Math.floor(box.right / t); x++) {
        const tile = this.plan.at(x, y);
        const arena = tile < 0 ? OUTSIDE : (this.plan.arena[tile] ?? OUTSIDE);
        if (arena !== OUTSIDE && this.plan.town.arenas[arena]?.sector !== sector) count++;
      }
    }
    return count > CORNER;
  }

  private layThings(t: number, boxes: Boxes): Thing[] {
    const size = Math.max(8, t * 0.8);
    return this.plan.town.objects.flatMap((object, index) => {
      const tile = findSignTile(object.tiles);
      if (tile === undefined) return [];
      const [x, y] = tile;
      return [{ object: index, box: boxes.take(makeBox((x + 0.5) * t - size / 2, (y + 0.5) * t - size / 2, size, size)) }];
    });
  }

  private layRooms(t: number, boxes: Boxes): Label[] {
    const { town } = this.plan;
    return town.arenas.flatMap((arena, index) => {
      const extent = this.rooms[index];
      if (index === OUTSIDE || extent === undefined || arena.name === town.sectors[arena.sector]?.name) return [];
      return this.layRoom(index, extent, arena.name, t, boxes);
    });
  }

  private layRoom(arena: number, extent: Extent, name: string, t: number, boxes: Boxes): Label[] {
    const largest = Math.max(8, Math.min(17, Math.round(t * 0.55)));
    for (let size = largest; size >= 8; size -= size > 12 ? 2 : 1) {
      const style = font(size, 600);
      for (const lines of splitName(name)) {
        const wide = Math.max(...lines.map((line) => measure(line, style)));
        const high = lines.length * (size + 2);
        const box = boxes.takeFree(this.listSpots(arena, extent, wide, high, t));
        if (box === null) continue;
        return lines.map((text, row) => ({ text, x: (box.left + box.right) / 2, y: box.top + (row + 0.5) * (size + 2), font: style, box }));
      }
    }
    return [];
  }

  private *listSpots(arena: number, extent: Extent, wide: number, high: number, t: number): Generator<Box> {
    const left = extent.left * t + 2;
    const right = extent.right * t - 2 - wide;
    const bottom = extent.bottom * t - high - 1;
    if (right < left) return;
    const middle = (left + right) / 2;
    const step = Math.max(3, t / 3);
    for (let y = extent.top * t + t / 4; y <= bottom; y += step) {
      for (let away = 0; middle - away >= left; away += step) {
        for (const x of away === 0 ? [middle] : [middle - away, middle + away]) {
          const box = makeBox(x, y, wide, high);
          if (this.isOnFloor(box, arena, t)) yield box;
        }
      }
    }
  }

  private isOnFloor(box: Box, arena: number, t: number): boolean {
    for (let y = Math.floor(box.top / t); y <= Math.floor(box.bottom / t); y++) {
      for (let x = Math.floor(box.left / t); x <= Math.floor(box.right / t); x++) {
        const tile = this.plan.at(x, y);
        if (tile < 0 || this.plan.arena[tile] !== arena || this.plan.isWall(x, y)) return false;
      }
    }
    return true;
  }

  private layNames(t: number, boxes: Boxes, things: Thing[]): Label[] {
    const size = Math.max(9, Math.min(14, Math.round(t * 0.36)));
    const style = font(size, 500);
    return things.flatMap(({ object, box: sign }) => {
      const known = this.plan.town.objects[object];
      if (known === undefined) return [];
      const wide = measure(known.name, style);
      const [x, y] = [(sign.left + sign.right) / 2, (sign.top + sign.bottom) / 2];
      const high = size + 2;
      const choices = [
        makeBox(x - wide / 2, sign.bottom + 1, wide, high),
        makeBox(x - wide / 2, sign.top - high - 1, wide, high),
        makeBox(sign.right + 3, y - high / 2, wide, high),
        makeBox(sign.left - 3 - wide, y - high / 2, wide, high),
      ].filter((box) => this.isOnFloor(box, known.arena, t));
      const box = boxes.takeFree(choices);
      return box === null ? [] : [{ text: known.name, x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, font: style, box }];
    });
  }
}

/** Of several tiles the left one of a row, else that nearest to their middle. */
export function findSignTile(tiles: [number, number][]): [number, number] | undefined {
  const first = tiles[0];
  if (first === undefined || tiles.every(([, y]) => y === first[1])) return first;
  const x = tiles.reduce((sum, tile) => sum + tile[0], 0) / tiles.length;
  const y = tiles.reduce((sum, tile) => sum + tile[1], 0) / tiles.length;
  const away = (tile: [number, number]): number => Math.abs(tile[0] - x) + Math.abs(tile[1] - y);
  return tiles.reduce((best, tile) => (away(tile) < away(best) ? tile : best), first);
}

export function makeBox(left: number, top: number, wide: number, high: number): Box {
  return { left, top, right: left + wide, bottom: top + high };
}

function extend(extent: Extent | undefined, x: number, y: number): Extent {
  if (extent === undefined) return { left: x, top: y, right: x + 1, bottom: y + 1 };
  return { left: Math.min(extent.left, x), top: Math.min(extent.top, y), right: Math.max(extent.right, x + 1), bottom: Math.max(extent.bottom, y + 1) };
}

/** A name in one line, and in two as even as can be. */
function splitName(name: string): string[][] {
  const words = name.split(" ");
  let best: string[] | undefined;
  for (let at = 1; at < words.length; at++) {
    const lines = [words.slice(0, at).join(" "), words.slice(at).join(" ")];
    const longest = (some: string[]): number => Math.max(...some.map((line) => line.length));
    if (best === undefined || longest(lines) < longest(best)) best = lines;
  }
  return best === undefined ? [[name]] : [[name], best];
}
