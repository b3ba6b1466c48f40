// How dark it is by the hour, as pictures have it; and the light in rooms where somebody is awake.

import type { Camera } from "./camera";
import { OUTSIDE } from "./ground_plan";
import type { GroundPlan } from "./ground_plan";

export const NIGHT = "52 60 110";

/** 0 to 0.28: dusk from 19 to 21 o'clock, dawn from 5 to 7. */
export function findDarkness(hour: number): number {
  const dark = hour > 12 ? Math.max(0, Math.min(1, (hour - 19) / 2)) : Math.min(1, (7 - hour) / 2);
  return 0.28 * Math.max(0, dark);
}

const LAMP = "255 214 120";

/** Light in rooms, at night. */
export class Lamps {
  private readonly floors: (Path2D | undefined)[] = []; // of each room, in tiles

  constructor(private readonly plan: GroundPlan) {
    for (let y = 0; y < plan.height; y++) {
      for (let x = 0; x < plan.width; ) {
        const arena = this.room(x, y);
        let end = x + 1;
        while (end < plan.width && this.room(end, y) === arena) end++;
        if (arena !== OUTSIDE) (this.floors[arena] ??= new Path2D()).rect(x, y, end - x, 1);
        x = end;
      }
    }
  }

  /** The room whose floor a tile is; OUTSIDE where it is none. */
  private room(x: number, y: number): number {
    const arena = this.plan.arena[this.plan.at(x, y)] ?? OUTSIDE;
    return this.plan.isWall(x, y) || this.plan.town.arenas[arena]?.openAir === true ? OUTSIDE : arena;
  }

  /** Lights rooms, each once; `shade` as `findDarkness` has it. */
  draw(pen: CanvasRenderingContext2D, camera: Camera, ratio: number, rooms: ReadonlySet<number>, shade: number): void {
    pen.save();
    const side = camera.scale * ratio;
    pen.setTransform(side, 0, 0, side, camera.toScreenX(0) * ratio, camera.toScreenY(0) * ratio);
    pen.fillStyle = `rgb(${LAMP} / ${shade * 1.1})`;
    for (const room of rooms) {
      const floor = this.floors[room];
      if (floor !== undefined) pen.fill(floor);
    }
    pen.restore();
  }
}
