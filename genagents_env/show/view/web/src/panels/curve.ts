// A small curve that rises in steps, with the clock on it.

import type { Tick } from "../protocol";
import { draw } from "./svg";

export interface CurveOptions {
  width: number;
  height: number;
  color: string;
  label: string; // for those who do not see it
}

/** Steps [tick, value], ascending; `first` to `last` is its width, `most` its height. */
export class Curve {
  readonly element: SVGSVGElement;
  private readonly past: SVGPathElement;
  private readonly rest: SVGPathElement;
  private readonly clip: SVGRectElement;
  private readonly hand: SVGLineElement;
  private static made = 0;

  constructor(private readonly options: CurveOptions) {
    const { width, height, color, label } = options;
    const id = `curve-${Curve.made++}`;
    this.clip = draw("rect", { x: 0, y: 0, width: 0, height });
    this.past = draw("path", { class: "curve-past", fill: color, "fill-opacity": 0.28, stroke: color, "stroke-width": 2, "clip-path": `url(#${id})` });
    this.rest = draw("path", { class: "curve-rest", fill: "none" });
    this.hand = draw("line", { class: "curve-hand", y1: 0, y2: height });
    this.element = draw(
      "svg",
      { class: "curve", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, preserveAspectRatio: "none" },
      draw("clipPath", { id }, this.clip),
      this.rest,
      this.past,
      this.hand,
    );
  }

  show(steps: readonly (readonly [Tick, number])[], last: Tick, most: number, tick: Tick): void {
    const { width, height } = this.options;
    const x = (at: Tick): number => 1 + (Math.max(0, at) / Math.max(1, last)) * (width - 2);
    const y = (value: number): number => height - 1.5 - (value / Math.max(1, most)) * (height - 4);
    let line = "";
    let before = 0;
    for (const [at, value] of steps) {
      line += line === "" ? `M${x(at)} ${y(value)}` : `L${x(at)} ${y(before)}L${x(at)} ${y(value)}`;
      before = value;
    }
    if (line !== "") line += `L${x(last)} ${y(before)}`;
    this.rest.setAttribute("d", line);
    this.past.setAttribute("d", line === "" ? "" : `${line}L${x(last)} ${height + 4}L${x(Math.max(0, steps[0]?.[0] ?? 0))} ${height + 4}Z`);
    this.moveHand(tick, last);
  }

  moveHand(tick: Tick, last: Tick): void {
    const at = 1 + (Math.max(0, Math.min(tick, last)) / Math.max(1, last)) * (this.options.width - 2);
    this.clip.setAttribute("width", String(at));
    this.hand.setAttribute("x1", String(at));
    this.hand.setAttribute("x2", String(at));
  }
}
