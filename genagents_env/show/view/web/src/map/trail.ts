// The way somebody came, as a line that fades.

import type { AgentIndex } from "../protocol";
import type { Recording } from "../recording";
import type { Camera } from "./camera";

const TICKS = 60; // of the way
const LEAP = 8; // tiles in a tick that are no walking

export function drawTrail(pen: CanvasRenderingContext2D, camera: Camera, recording: Recording, agent: AgentIndex, time: number): void {
  pen.strokeStyle = recording.head.people[agent]?.color ?? "#3a363c";
  pen.lineWidth = Math.max(2, camera.scale / 8);
  pen.lineCap = "butt";
  const now = Math.floor(time);
  let before: { x: number; y: number } | undefined;
  for (let tick = Math.max(0, now - TICKS); tick <= now; tick++) {
    const at = recording.positions(tick);
    if (at === undefined) continue;
    const here = { x: camera.toScreenX((at[2 * agent] ?? 0) + 0.5), y: camera.toScreenY((at[2 * agent + 1] ?? 0) + 0.5) };
    const far = before === undefined ? 0 : Math.hypot(here.x - before.x, here.y - before.y);
    if (before !== undefined && far > 0 && far < camera.scale * LEAP) {
      pen.globalAlpha = 0.5 * (1 - (now - tick) / TICKS);
      pen.beginPath();
      pen.moveTo(before.x, before.y);
      pen.lineTo(here.x, here.y);
      pen.stroke();
    }
    before = here;
  }
  pen.globalAlpha = 1;
}
