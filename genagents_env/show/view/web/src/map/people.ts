// People on the map: discs, what they do, who knows a fact, names where there is room.

import type { AgentIndex } from "../protocol";
import type { Replay } from "../replay";
import type { State } from "../state";
import type { Look } from "../store";
import { drawDiamond } from "./bubbles";
import type { Boxes } from "./boxes";
import type { Camera } from "./camera";
import { Crowd } from "./crowd";
import { makeBox } from "./labels";
import { drawSprite, Sprites } from "./sprites";
import type { Sprite } from "./sprites";
import { canDraw } from "./text";

type Pen = CanvasRenderingContext2D;

const LARGEST = 34; // pixels of a disc
const NAMED = 160; // people in the window up to which names are tried
const SIGNED = 400; // and what they do

export class People {
  readonly positions: Float32Array; // tiles, x and y in turn
  readonly spots: Float32Array; // pixels of the window
  shown: AgentIndex[] = [];
  private readonly isShown: Uint8Array;
  disc = 16; // pixels
  private readonly crowd: Crowd;
  private readonly sprites: Sprites;
  private discs: (Sprite | undefined)[] = []; // of everyone, awake and asleep in turn
  private discsFor = ""; // their size and edition
  private readonly images: (HTMLImageElement | null)[];

  constructor(private readonly replay: Replay) {
    const { head, town } = replay.recording;
    this.positions = new Float32Array(2 * head.people.length);
    this.spots = new Float32Array(2 * head.people.length);
    this.crowd = new Crowd(head.people.length);
    this.isShown = new Uint8Array(head.people.length);
    this.sprites = new Sprites(town.colors["paper"] ?? "#faf7f0", town.colors["ink"] ?? "#3a363c");
    this.images = head.people.map((person) => {
      if (person.sprite === null) return null;
      const image = new Image();
      image.src = person.sprite;
      return image;
    });
  }

  /** Finds where everyone in the window is drawn; `passed` seconds since the last time, 0 after a jump. */
  settle(camera: Camera, state: State, passed: number): void {
    const count = this.replay.recording.head.people.length;
    const least = count <= 60 ? 17 : count <= 250 ? 12 : 8;
    this.disc = Math.round(Math.max(least, Math.min(LARGEST, camera.scale * 1.15)));
    this.shown = [];
    this.isShown.fill(0);
    for (let i = 0; i < count; i++) {
      const x = this.positions[2 * i] as number;
      const y = this.positions[2 * i + 1] as number;
      if (state.present[i] !== 1 || x < 0 || !camera.sees(x, y, 2)) continue;
      this.shown.push(i);
      this.isShown[i] = 1;
      this.spots[2 * i] = camera.toScreenX(x + 0.5);
      this.spots[2 * i + 1] = camera.toScreenY(y + 0.5);
    }
    this.crowd.settle(this.shown, this.spots, this.disc * (this.shown.length > SIGNED ? 0.8 : 1), passed);
    for (const i of this.shown) {
      this.spots[2 * i] = (this.spots[2 * i] as number) + (this.crowd.shift[2 * i] as number);
      this.spots[2 * i + 1] = (this.spots[2 * i + 1] as number) + (this.crowd.shift[2 * i + 1] as number);
    }
  }

  spot(i: AgentIndex): { x: number; y: number } | undefined {
    return this.isShown[i] === 1 ? { x: this.spots[2 * i] as number, y: this.spots[2 * i + 1] as number } : undefined;
  }

  /** Who is drawn at a point of the window, or -1. */
  find(x: number, y: number): AgentIndex | -1 {
    let best = -1;
    let least = this.disc / 2 + 5;
    for (const i of this.shown) {
      const far = Math.hypot((this.spots[2 * i] as number) - x, (this.spots[2 * i + 1] as number) - y);
      if (far < least) [best, least] = [i, far];
    }
    return best;
  }

  /** Draws them; `boxes`: what names keep clear of, and then what people and names cover. */
  draw(pen: Pen, camera: Camera, state: State, look: Readonly<Look>, hovered: AgentIndex | -1, ratio: number, boxes: Boxes): void {
    this.sprites.use(ratio);
    if (this.discsFor !== `${this.disc} ${this.sprites.edition}`) this.discs = [];
    this.discsFor = `${this.disc} ${this.sprites.edition}`;
    const order = this.shown.filter((i) => i !== look.person);
    if (this.isShown[look.person] === 1) order.push(look.person); // on top
    for (const i of order) this.drawDisc(pen, i, state, look, hovered);
    if (this.shown.length <= SIGNED || camera.scale >= 16) for (const i of order) this.drawEmoji(pen, i, state, look);
    const half = this.disc / 2;
    // Among hundreds, names and words go where they fall.
    if (order.length <= SIGNED) for (const i of order) boxes.take(makeBox((this.spots[2 * i] as number) - half, (this.spots[2 * i + 1] as number) - half, this.disc, this.disc));
    this.drawNames(pen, camera, look, hovered, boxes);
  }

  private drawDisc(pen: Pen, i: AgentIndex, state: State, look: Readonly<Look>, hovered: AgentIndex | -1): void {
    const { head } = this.replay.recording;
    const person = head.people[i];
    if (person === undefined) return;
    const x = this.spots[2 * i] as number;
    const y = this.spots[2 * i + 1] as number;
    const asleep = state.asleep[i] === 1;
    const fact = head.facts[look.fact];
    const knows = fact !== undefined && this.replay.states.knows(state, i, look.fact);
    if (fact !== undefined && !knows) pen.globalAlpha = 0.45;
    if (knows) this.ring(pen, x, y, this.disc / 2 + 3, Math.max(3, this.disc / 7), fact.color);
    if (i === look.person) {
      this.ring(pen, x, y, this.disc / 2 + (knows ? 7 : 4), 3, "#3a363c");
      this.ring(pen, x, y, this.disc / 2 + (knows ? 6.5 : 3.5), 2, "#ffd257");
    } else if (i === hovered) this.ring(pen, x, y, this.disc / 2 + (knows ? 7 : 3), 2, "#3a363c");
    const image = this.images[i];
    if (image !== null && image !== undefined && image.complete && image.naturalWidth > 0) {
      const high = this.disc * 1.35;
      const wide = (high * image.naturalWidth) / image.naturalHeight;
      pen.imageSmoothingEnabled = high < image.naturalHeight;
      if (asleep) pen.globalAlpha *= 0.55;
      pen.drawImage(image, x - wide / 2, y - high * 0.6, wide, high);
    } else drawSprite(pen, (this.discs[2 * i + Number(asleep)] ??= this.sprites.disc(person.initials, person.color, this.disc, asleep)), x, y);
    pen.globalAlpha = 1;
    if (knows) drawDiamond(pen, x - this.disc * 0.42, y + this.disc * 0.42, Math.max(3.5, this.disc * 0.2), fact.color);
  }

  private ring(pen: Pen, x: number, y: number, radius: number, width: number, color: string): void {
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.stroke();
  }

  private drawEmoji(pen: Pen, i: AgentIndex, state: State, look: Readonly<Look>): void {
    const person = this.replay.recording.head.people[i];
    const sign = state.asleep[i] === 1 ? "💤" : (state.emoji[i] ?? "");
    if (person === undefined || this.disc < 15 || !canDraw(sign)) return;
    const size = Math.round(Math.max(13, this.disc * 0.66));
    if (look.fact >= 0 && !this.replay.states.knows(state, i, look.fact)) pen.globalAlpha = 0.5;
    drawSprite(pen, this.sprites.emoji(sign, person.color, size), (this.spots[2 * i] as number) + this.disc * 0.46, (this.spots[2 * i + 1] as number) - this.disc * 0.46);
    pen.globalAlpha = 1;
  }

  /** First names, where they cover nobody; those of who is selected or pointed at always. */
  private drawNames(pen: Pen, camera: Camera, look: Readonly<Look>, hovered: AgentIndex | -1, boxes: Boxes): void {
    const { people } = this.replay.recording.head;
    const size = Math.max(11, Math.min(15, Math.round(this.disc * 0.5)));
    const all = this.shown.length <= NAMED && (camera.scale >= 7 || people.length <= 12);
    const first = [look.person, hovered].filter((i) => this.isShown[i] === 1);
    for (const i of all ? [...first, ...this.shown.filter((one) => !first.includes(one))] : new Set(first)) {
      const strong = first.includes(i);
      const name = people[i]?.name ?? "";
      const sprite = this.sprites.name(strong ? name : (name.split(" ")[0] ?? ""), size, strong);
      const x = this.spots[2 * i] as number;
      const y = this.spots[2 * i + 1] as number;
      const [wide, high] = [sprite.width - 4, sprite.height - 4];
      const gap = this.disc / 2 + (strong ? 6 : 1);
      const choices = [
        makeBox(x - wide / 2, y + gap, wide, high),
        makeBox(x - wide / 2, y - gap - high, wide, high),
        makeBox(x + gap, y - high / 2, wide, high),
        makeBox(x - gap - wide, y - high / 2, wide, high),
      ].filter((one) => one.left >= 0 && one.top >= 0 && one.right <= camera.width && one.bottom <= camera.height);
      const box = boxes.takeFree(choices) ?? (strong && choices[0] !== undefined ? boxes.take(choices[0]) : null);
      if (box !== null) drawSprite(pen, sprite, (box.left + box.right) / 2, (box.top + box.bottom) / 2);
    }
  }
}
