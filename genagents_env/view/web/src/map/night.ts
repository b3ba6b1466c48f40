// How dark it is by the hour, as pictures have it.

export const NIGHT = "52 60 110";

/** 0 to 0.28: dusk from 19 to 21 o'clock, dawn from 5 to 7. */
export function findDarkness(hour: number): number {
  const dark = hour > 12 ? Math.max(0, Math.min(1, (hour - 19) / 2)) : Math.min(1, (7 - hour) / 2);
  return 0.28 * Math.max(0, dark);
}
