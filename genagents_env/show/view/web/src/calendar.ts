// Town time and ticks, one from the other. Town time has no zone, so it is held as if it were UTC.

import type { Head, Tick } from "./protocol";

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number): string => String(value).padStart(2, "0");

export class Calendar {
  readonly secondsPerTick: number;
  private readonly start: number; // milliseconds

  constructor(head: Pick<Head, "start" | "secondsPerTick">) {
    this.secondsPerTick = head.secondsPerTick;
    this.start = Date.parse(head.start.endsWith("Z") ? head.start : `${head.start}Z`);
  }

  /** The moment of a tick, which may have a fraction; read it by the getUTC methods. */
  date(tick: number): Date {
    return new Date(this.start + tick * this.secondsPerTick * 1000);
  }

  /** "12:01". */
  clock(tick: Tick): string {
    const date = this.date(tick);
    return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
  }

  /** "12:01:40". */
  clockWithSeconds(tick: Tick): string {
    return `${this.clock(tick)}:${two(this.date(tick).getUTCSeconds())}`;
  }

  /** "Mon 13 Feb". */
  day(tick: Tick): string {
    const date = this.date(tick);
    return `${DAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  }

  /** "Mon 13 Feb 2023, 12:01:40", as pictures have it. */
  moment(tick: Tick): string {
    return `${this.day(tick)} ${this.date(tick).getUTCFullYear()}, ${this.clockWithSeconds(tick)}`;
  }

  /** Hours since midnight, with a fraction. */
  hour(tick: number): number {
    const date = this.date(tick);
    return date.getUTCHours() + date.getUTCMinutes() / 60 + date.getUTCSeconds() / 3600;
  }

  /** The ticks at which a day begins, from the first after `first` to `last`. */
  midnights(first: Tick, last: Tick): Tick[] {
    const perDay = 86400 / this.secondsPerTick;
    const offset = this.hour(0) * (3600 / this.secondsPerTick);
    const found: Tick[] = [];
    for (let day = Math.floor((first + offset) / perDay) + 1; day * perDay - offset <= last; day++) found.push(day * perDay - offset);
    return found;
  }
}
