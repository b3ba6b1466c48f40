// What one does to the map: dragging, wheel, pinching, pointing, clicking, keys.

export interface Reactions {
  pan(dx: number, dy: number): void;
  zoom(factor: number, x: number, y: number): void;
  click(x: number, y: number): void;
  follow(x: number, y: number): void; // a double click
  hover(x: number, y: number): void;
  leave(): void;
}

const STILL = 5; // pixels up to which a press is a click

export function listenToGestures(canvas: HTMLCanvasElement, reactions: Reactions): void {
  const held = new Map<number, { x: number; y: number }>();
  let moved = 0;
  let apart = 0; // of two fingers
  const place = (event: MouseEvent): { x: number; y: number } => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const spread = (): { far: number; x: number; y: number } => {
    const [one, other] = [...held.values()];
    if (one === undefined || other === undefined) return { far: 0, x: 0, y: 0 };
    return { far: Math.hypot(one.x - other.x, one.y - other.y), x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, place(event));
    if (held.size === 1) moved = 0;
    apart = spread().far;
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    const before = held.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType !== "touch") reactions.hover(at.x, at.y);
      return;
    }
    const middle = spread();
    held.set(event.pointerId, at);
    moved += Math.hypot(at.x - before.x, at.y - before.y);
    if (held.size === 1) {
      if (moved > STILL) reactions.pan(before.x - at.x, before.y - at.y);
    } else if (held.size === 2) {
      const now = spread();
      moved = STILL + 1;
      if (apart > 0 && now.far > 0) reactions.zoom(now.far / apart, now.x, now.y);
      reactions.pan(middle.x - now.x, middle.y - now.y);
      apart = now.far;
    }
  });
  const release = (event: PointerEvent): void => {
    if (!held.delete(event.pointerId)) return;
    apart = spread().far;
    if (event.type === "pointerup" && held.size === 0 && moved <= STILL) {
      const { x, y } = place(event);
      reactions.click(x, y);
    }
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => reactions.leave());
  canvas.addEventListener("dblclick", (event) => {
    const { x, y } = place(event);
    reactions.follow(x, y);
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { x, y } = place(event);
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : 1;
      const by = Math.max(-240, Math.min(240, event.deltaY * lines));
      reactions.zoom(Math.exp(-by * (event.ctrlKey ? 0.01 : 0.0018)), x, y);
    },
    { passive: false },
  );
}
