// Small pictures that are drawn again and again, painted once: discs, emoji, names.

import { EMOJI_FAMILY, font, measure } from "./text";
import { readColor } from "./ground_plan";

type Pen = CanvasRenderingContext2D;

export interface Sprite {
  image: HTMLCanvasElement;
  width: number; // in pixels of the window
  height: number;
}

const MOST = 6000; // sprites kept

export class Sprites {
  private held = new Map<string, Sprite>();
  private ratio = 1;

  constructor(
    private readonly paper: string,
    private readonly ink: string,
  ) {}

  /** Takes another device pixel ratio: everything is painted anew. */
  use(ratio: number): void {
    if (ratio !== this.ratio) this.held.clear();
    this.ratio = ratio;
  }

  private paint(key: string, width: number, height: number, draw: (pen: Pen) => void): Sprite {
    const known = this.held.get(key);
    if (known !== undefined) return known;
    if (this.held.size > MOST) this.held.clear();
    const image = document.createElement("canvas");
    image.width = Math.max(1, Math.ceil(width * this.ratio));
    image.height = Math.max(1, Math.ceil(height * this.ratio));
    const pen = image.getContext("2d") as Pen;
    pen.scale(this.ratio, this.ratio);
    draw(pen);
    const sprite = { image, width: image.width / this.ratio, height: image.height / this.ratio };
    this.held.set(key, sprite);
    return sprite;
  }

  /** A person as a round badge with initials; pale asleep. */
  disc(initials: string, color: string, size: number, asleep: boolean): Sprite {
    return this.paint(`disc|${initials}|${color}|${size}|${asleep}`, size + 2, size + 2, (pen) => {
      const middle = (size + 2) / 2;
      const [red, green, blue] = readColor(color);
      const fill = asleep ? `rgb(${(red + 300) / 3} ${(green + 300) / 3} ${(blue + 300) / 3})` : color;
      if (size < 13) {
        circle(pen, middle, middle, size / 2 + 0.5, "#fff");
        circle(pen, middle, middle, size / 2 - 0.5, fill);
        return;
      }
      circle(pen, middle, middle, size / 2 + 0.5, "rgb(58 54 60 / 0.35)");
      circle(pen, middle, middle, size / 2 - 0.5, "#fff");
      circle(pen, middle, middle, size / 2 - Math.max(1.2, size / 12), fill);
      pen.font = font(size * (Array.from(initials).length > 1 ? 0.42 : 0.52), 700);
      pen.fillStyle = "#fff";
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
  pen.drawImage(sprite.image, x - sprite.width / 2, y - sprite.height / 2, sprite.width, sprite.height);
}

function circle(pen: Pen, x: number, y: number, radius: number, fill: string): void {
  pen.beginPath();
  pen.arc(x, y, Math.max(0, radius), 0, 2 * Math.PI);
  pen.fillStyle = fill;
  pen.fill();
}
