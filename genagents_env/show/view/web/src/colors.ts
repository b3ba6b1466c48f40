// Colours as numbers, and letters that can be read on them.

export type Color = [red: number, green: number, blue: number];

/** Of "#rrggbb". */
export function readColor(text: string): Color {
  const value = Number.parseInt(text.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** White or black letters on this colour: those that are read better, at 4.5 to 1 or more. */
export function letterColor(color: string): string {
  const channel = (at: number): number => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5); // WCAG 2
  return 1.05 / (luminance + 0.05) >= 4.5 ? "#fff" : "#000";
}
