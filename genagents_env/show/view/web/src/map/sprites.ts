// Small pictures that are drawn again and again, painted once: discs, emoji, names.

import { EMOJI_FAMILY, font, measure } from "./text";
import { letterColor, readColor } from "../colors";

type Pen = CanvasRenderingContext2D;

export interface Sprite {
  page: HTMLCanvasElement;
  left: number; // in pixels of the page
  top: number;
  across: number;
  down: number;
  width: number; // in pixels of the window
  height: number;
}

const SIDE = 512; // pixels of a page
const MOST = 24; // pages

/** Sprites lie side by side on few pages: a thousand pictures of their own would be drawn more slowly. */
export class Sprites {
  private held = new Map<string, Sprite>();
  private pages: Pen[] = [];
  private row = { left: 0, top: 0, down: 0 }; // where the next one goes on the last page
  private ratio = 1;

  constructor(
    private readonly paper: string,
    private readonly ink: string,
  ) {}

  /** Takes another device pixel ratio: everything is painted anew. */
  use(ratio: number): void {
    if (ratio !== this.ratio) this.clear();
    this.ratio = ratio;
  }

  /** Counts up whenever sprites that were given before do not hold any more. */
  edition = 0;

  private clear(): void {
    this.held.clear();
    this.pages = [];
    this.edition++;
  }

  private paint(key: string, width: number, height: number, draw: (pen: Pen) => void): Sprite {
    const known = this.held.get(key);
    if (known !== undefined) return known;
    const across = Math.min(SIDE, Math.ceil(width * this.ratio));
    const down = Math.min(SIDE, Math.ceil(height * this.ratio));
    const { pen, left, top } = this.reserve(across + 1, down + 1);
    pen.setTransform(this.ratio, 0, 0, this.ratio, left, top);
    pen.save();
    draw(pen);
    pen.restore();
    const sprite = { page: pen.canvas, left, top, across, down, width: across / this.ratio, height: down / this.ratio };
    this.held.set(key, sprite);
    return sprite;
  }

  private reserve(across: number, down: number): { pen: Pen; left: number; top: number } {
    const { row } = this;
    if (row.left + across > SIDE) Object.assign(row, { left: 0, top: row.top + row.down, down: 0 });
    let pen = this.pages[this.pages.length - 1];
    if (pen === undefined || row.top + down > SIDE) {
      if (this.pages.length >= MOST) this.clear();
      const page = document.createElement("canvas");
      page.width = page.height = SIDE;
      pen = page.getContext("2d") as Pen;
      this.pages.push(pen);
      Object.assign(row, { left: 0, top: 0, down: 0 });
    }
    const { left, top } = row;
    row.left += across;
    row.down = Math.max(row.down, down);
    return { pen, left, top };
  }

  /** A person as a round badge with initials; pale asleep. */
  disc(initials: string, color: string, size: number, asleep: boolean): Sprite {
    return this.paint(`disc|${initials}|${color}|${size}|${asleep}`, size + 2, size + 2, (pen) => {
      const middle = (size + 2) / 2;
      const fill = asleep ? fade(color) : color;
      if (size < 13) {
        circle(pen, middle, middle, size / 2 + 0.5, "#fff");
        circle(pen, middle, middle, size / 2 - 0.5, fill);
        return;
      }
      circle(pen, middle, middle, size / 2 + 0.5, "rgb(58 54 60 / 0.35)");
      circle(pen, middle, middle, size / 2 - 0.5, "#fff");
      circle(pen, middle, middle, size / 2 - Math.max(1.2, size / 12), fill);
      pen.font = font(size * (Array.from(initials).length > 1 ? 0.42 : 0.52), 700);
      pen.fillStyle = letterColor(fill);
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(initials, middle, middle + size * 0.03);
    });
  }

  /** What somebody does as an emoji on a small white disc. */
  emoji(sign: string, color: string, size: number): Sprite {
    return this.paint(`emoji|${sign}|${color}|${size}`, size + 2, size + 2, (pen) => {
      const middle = (size + 2) / 2;
      circle(pen, middle, middle, size / 2 + 0.5, color);
      circle(pen, middle, middle, size / 2 - 0.5, "#fff");
      pen.font = `${size * 0.64}px ${EMOJI_FAMILY}`;
      pen.fillStyle = this.ink;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(sign, middle, middle + size * 0.04);
    });
  }

  /** A name, legible on any ground. */
  name(text: string, size: number, strong: boolean): Sprite {
    const style = font(size, 700);
    const width = measure(text, style) + 8;
    return this.paint(`name|${text}|${size}|${strong}`, width, size + 8, (pen) => {
      pen.font = style;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      if (strong) {
        pen.fillStyle = this.ink;
        pen.beginPath();
        pen.roundRect(0, 1, width, size + 6, 5);
        pen.fill();
        pen.fillStyle = "#fff";
      } else {
        pen.strokeStyle = this.paper;
        pen.lineWidth = 3.5;
        pen.lineJoin = "round";
        pen.strokeText(text, width / 2, (size + 8) / 2);
        pen.fillStyle = this.ink;
      }
      pen.fillText(text, width / 2, (size + 8) / 2);
    });
  }
}

export function drawSprite(pen: Pen, sprite: Sprite, x: number, y: number): void {
  const { page, left, top, across, down, width, height } = sprite;
  pen.drawImage(page, left, top, across, down, x - width / 2, y - height / 2, width, height);
}

function circle(pen: Pen, x: number, y: number, radius: number, fill: string): void {
  pen.beginPath();
  pen.arc(x, y, Math.max(0, radius), 0, 2 * Math.PI);
  pen.fillStyle = fill;
  pen.fill();
}

/** A colour mixed with more white than there is of it. */
function fade(color: string): string {
  return `#${readColor(color).map((part) => Math.round((part + 300) / 3).toString(16).padStart(2, "0")).join("")}`;
}
