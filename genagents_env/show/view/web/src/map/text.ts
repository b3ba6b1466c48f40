// Letters on the map: fonts, their widths, lines broken between words, and whether an emoji can be drawn.

const FAMILY = '"Noto Sans", system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
export const EMOJI_FAMILY = '"Noto Emoji", "Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", sans-serif';

type Pen = CanvasRenderingContext2D;

export function font(size: number, weight = 500): string {
  return `${weight} ${size}px ${FAMILY}`;
}

const ruler = document.createElement("canvas").getContext("2d") as Pen;
const widths = new Map<string, number>();

/** How wide a text is, in pixels. */
export function measure(text: string, style: string): number {
  const key = `${style}|${text}`;
  const held = widths.get(key);
  if (held !== undefined) return held;
  if (widths.size > 20000) widths.clear();
  ruler.font = style;
  const wide = ruler.measureText(text).width;
  widths.set(key, wide);
  return wide;
}

/** Breaks words into lines of at most `width` pixels; what is more than `most` lines is cut. */
export function wrap(words: string, style: string, width: number, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of words.split(/\s+/)) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (line === "" || measure(joined, style) <= width) line = joined;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  const shown = lines.length > most ? [...lines.slice(0, most - 1), `${lines[most - 1] ?? ""}…`] : lines;
  return shown.map((text) => cut(text, style, width));
}

/** `text`, cut so that it takes at most `room` pixels. */
export function cut(text: string, style: string, room: number): string {
  if (measure(text, style) <= room) return text;
  const letters = Array.from(text);
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${letters.slice(0, middle).join("")}…`, style) <= room) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${letters.slice(0, low).join("").trimEnd()}…`;
}

const drawable = new Map<string, boolean>();

/** Whether this browser has a picture for an emoji, other than the box that stands for none. */
export function canDraw(emoji: string): boolean {
  if (emoji === "") return false;
  const held = drawable.get(emoji);
  if (held !== undefined) return held;
  const found = paintSign(emoji) !== paintSign("\u{10fffd}");
  drawable.set(emoji, found);
  return found;
}

function paintSign(sign: string): string {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 24;
  const pen = canvas.getContext("2d", { willReadFrequently: true }) as Pen;
  pen.font = `16px ${EMOJI_FAMILY}`;
  pen.textBaseline = "middle";
  pen.fillText(Array.from(sign)[0] ?? "", 2, 12);
  return pen.getImageData(0, 0, 24, 24).data.join();
}
