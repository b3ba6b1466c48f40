// The ground as a picture a little larger than the window, painted again only when it has to be.
//
// A frame costs one drawImage: the picture is kept for the scale it was painted at, shown enlarged
// while one zooms, and painted anew when the zooming rests or the window leaves it.

import type { Boxes } from "./boxes";
import type { Camera } from "./camera";
import { readColor } from "../colors";
import { OUTSIDE } from "./ground_plan";
import type { GroundPlan } from "./ground_plan";
import { Labeller } from "./labels";
import type { Labels } from "./labels";
import { canDraw, EMOJI_FAMILY, font } from "./text";

const BESIDE = 0.25; // of the window, painted beyond each of its edges
const REST = 140; // milliseconds without zooming after which it is painted sharp
const MOST_PIXELS = 24e6;

type Pen = CanvasRenderingContext2D;

export class Ground {
  private readonly tiles: HTMLCanvasElement;
  private readonly meadow: HTMLCanvasElement; // two by two tiles of it
  private readonly labeller: Labeller;
  private readonly picture = document.createElement("canvas");
  private scale = 0; // at which the picture is painted
  private ratio = 1;
  private left = 0; // tiles of the town at which it begins
  private top = 0;
  private right = 0;
  private bottom = 0;
  private zoomedAt = 0;
  private wanted = 0;

  constructor(readonly plan: GroundPlan) {
    this.tiles = plan.paintTiles();
    this.meadow = plan.paintMeadow();
    this.labeller = new Labeller(plan);
  }

  /** The labels as they are painted now. */
  get labels(): Labels {
    return this.labeller.lay(this.scale);
  }

  /** Draws the part of the town in the window; returns whether it should be drawn again soon. */
  draw(pen: Pen, camera: Camera, ratio: number, now: number): boolean {
    if (camera.scale !== this.wanted) {
      this.wanted = camera.scale;
      this.zoomedAt = now;
    }
    const resting = now - this.zoomedAt >= REST;
    const factor = camera.scale / this.scale;
    const stale = camera.scale !== this.scale || ratio !== this.ratio;
    if (this.scale === 0 || (stale && (resting || factor > 2.2 || factor < 0.45)) || !this.covers(camera)) this.paint(camera, ratio);
    const x = camera.toScreenX(this.left);
    const y = camera.toScreenY(this.top);
    const shown = camera.scale / this.scale / this.ratio;
    pen.imageSmoothingEnabled = camera.scale !== this.scale;
    pen.drawImage(this.picture, Math.round(x * ratio) / ratio, Math.round(y * ratio) / ratio, this.picture.width * shown, this.picture.height * shown);
    return camera.scale !== this.scale;
  }

  /** Marks what the signs of buildings in the window cover. */
  takeSigns(camera: Camera, boxes: Boxes): void {
    const factor = camera.scale / this.scale;
    const [x, y] = [camera.toScreenX(0), camera.toScreenY(0)];
    for (const { box } of this.labels.signs) {
      const shown = { left: x + box.left * factor, top: y + box.top * factor, right: x + box.right * factor, bottom: y + box.bottom * factor };
      if (shown.right > 0 && shown.left < camera.width && shown.bottom > 0 && shown.top < camera.height) boxes.take(shown);
    }
  }

  private covers(camera: Camera): boolean {
    return (
      camera.toTileX(0) >= this.left - 1e-6 &&
      camera.toTileY(0) >= this.top - 1e-6 &&
      camera.toTileX(camera.width) <= this.right + 1e-6 &&
      camera.toTileY(camera.height) <= this.bottom + 1e-6
    );
  }

  private paint(camera: Camera, ratio: number): void {
    const { plan } = this;
    const { scale } = camera;
    const around = camera.width * camera.height * ratio * ratio * (1 + 2 * BESIDE) ** 2 > MOST_PIXELS ? 0.05 : BESIDE;
    this.left = Math.floor(camera.toTileX(-around * camera.width));
    this.top = Math.floor(camera.toTileY(-around * camera.height));
    this.right = Math.ceil(camera.toTileX((1 + around) * camera.width));
    this.bottom = Math.ceil(camera.toTileY((1 + around) * camera.height));
    this.scale = scale;
    this.ratio = ratio;
    const wide = this.right - this.left;
    const high = this.bottom - this.top;
    this.picture.width = Math.max(1, Math.ceil(wide * scale * ratio));
    this.picture.height = Math.max(1, Math.ceil(high * scale * ratio));
    const pen = this.picture.getContext("2d") as Pen;
    pen.imageSmoothingEnabled = false;
    this.paintMeadow(pen);
    pen.setTransform(ratio, 0, 0, ratio, -this.left * scale * ratio, -this.top * scale * ratio);
    pen.drawImage(this.tiles, 0, 0, plan.width * scale, plan.height * scale);
    if (scale >= 5) this.shadeWalls(pen);
    this.paintDoors(pen);
    this.paintLabels(pen);
  }

  /** The meadow goes on beyond the edges of the town. */
  private paintMeadow(pen: Pen): void {
    const side = this.scale * this.ratio;
    const pattern = pen.createPattern(this.meadow, "repeat");
    pattern?.setTransform(new DOMMatrix([side, 0, 0, side, -this.left * side, -this.top * side]));
    pen.fillStyle = pattern ?? "#d6e4c7";
    pen.fillRect(0, 0, this.picture.width, this.picture.height);
  }

  /** Walls throw a shadow on the floor below them, so that rooms look like rooms. */
  private shadeWalls(pen: Pen): void {
    const { plan, scale: t } = this;
    const deep = Math.max(1, t / 6);
    pen.fillStyle = "rgb(58 54 60 / 0.14)";
    for (let y = Math.max(0, this.top); y < Math.min(plan.height, this.bottom); y++) {
      for (let x = Math.max(0, this.left); x < Math.min(plan.width, this.right); x++) {
        if (!plan.isFree(x, y)) continue;
        if (plan.isWall(x, y - 1)) pen.fillRect(x * t, y * t, t, deep);
        if (plan.isWall(x - 1, y)) pen.fillRect(x * t, y * t + (plan.isWall(x, y - 1) ? deep : 0), deep / 2, t);
      }
    }
    // A line where walls face the street gives houses an edge.
    pen.fillStyle = "rgb(58 54 60 / 0.10)";
    for (let y = Math.max(0, this.top); y < Math.min(plan.height, this.bottom); y++) {
      for (let x = Math.max(0, this.left); x < Math.min(plan.width, this.right); x++) {
        if (plan.isWall(x, y) && !plan.isWall(x, y + 1)) pen.fillRect(x * t, (y + 1) * t - deep / 2, t, deep / 2);
      }
    }
  }

  private paintDoors(pen: Pen): void {
    const { plan, scale: t } = this;
    const thick = Math.max(1.5, t / 4);
    pen.fillStyle = plan.town.colors["door"] ?? "#b08054";
    for (const [x, y] of plan.town.doors) {
      const beside = !plan.isFree(x - 1, y) && !plan.isFree(x + 1, y);
      if (beside) pen.fillRect(x * t, y * t + (t - thick) / 2, t, thick);
      else pen.fillRect(x * t + (t - thick) / 2, y * t, thick, t);
    }
  }

  private paintLabels(pen: Pen): void {
    const { colors } = this.plan.town;
    const { signs, rooms, things, names } = this.labels;
    for (const { object, box } of things) this.paintThing(pen, object, box.left, box.top, box.right - box.left);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = darken(colors["faint"] ?? "#80787c");
    for (const { text, x, y, font: style } of [...rooms, ...names]) {
      pen.font = style;
      pen.fillText(text, x, y);
    }
    for (const { text, x, y, font: style, box } of signs) {
      pen.fillStyle = colors["sign"] ?? "#585054";
      pen.beginPath();
      pen.roundRect(box.left, box.top, box.right - box.left, box.bottom - box.top, (box.bottom - box.top) / 2);
      pen.fill();
      pen.font = style;
      pen.fillStyle = "#fff";
      pen.fillText(text, x, y + 0.5);
    }
  }

  private paintThing(pen: Pen, index: number, left: number, top: number, size: number): void {
    const { town } = this.plan;
    const object = town.objects[index];
    if (object === undefined) return;
    const t = this.scale;
    if (object.tiles.length > 1) this.paintSpread(pen, object.tiles, object.arena);
    pen.fillStyle = town.colors["thing"] ?? "#fcf9f2";
    pen.strokeStyle = town.colors["edge"] ?? "#beb2a4";
    pen.lineWidth = 1;
    pen.beginPath();
    pen.roundRect(left + 0.5, top + 0.5, size - 1, size - 1, size / 4);
    pen.fill();
    pen.stroke();
    const drawn = canDraw(object.emoji);
    pen.font = drawn ? `${Math.max(7, size * 0.66)}px ${EMOJI_FAMILY}` : font(Math.max(7, size * 0.55), 600);
    pen.fillStyle = town.colors["icon"] ?? "#785c46";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    if (t >= 9) pen.fillText(drawn ? object.emoji : (Array.from(object.name)[0] ?? "").toUpperCase(), left + size / 2, top + size / 2 + size * 0.04);
  }

  /** A thing of several tiles is one light shape over all of them. */
  private paintSpread(pen: Pen, tiles: [number, number][], arena: number): void {
    const { town } = this.plan;
    const t = this.scale;
    const gap = t * 0.1;
    const held = new Set(tiles.map(([x, y]) => this.plan.at(x, y)));
    const [red, green, blue] = readColor(town.arenas[arena === OUTSIDE ? 0 : arena]?.color ?? "#fcf9f2");
    const large = `rgb(${(2 * red + 252) / 3} ${(2 * green + 249) / 3} ${(2 * blue + 242) / 3})`;
    for (const grown of [0, 1]) {
      pen.fillStyle = grown === 0 ? (town.colors["edge"] ?? "#beb2a4") : tiles.length <= 4 ? (town.colors["thing"] ?? "#fcf9f2") : large;
      for (const [x, y] of tiles) {
        const inset = (nx: number, ny: number): number => (held.has(this.plan.at(nx, ny)) ? 0 : gap + grown);
        const left = x * t + inset(x - 1, y);
        const top = y * t + inset(x, y - 1);
        pen.fillRect(left, top, (x + 1) * t - inset(x + 1, y) - left, (y + 1) * t - inset(x, y + 1) - top);
      }
    }
  }
}

function darken(color: string): string {
  const [red, green, blue] = readColor(color).map((part) => Math.round(part * 0.82));
  return `rgb(${red} ${green} ${blue})`;
}
