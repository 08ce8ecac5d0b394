/** The days of a person: what a date means depends on where they are. */
export interface LocalDays {
  readonly now: number;
  readonly today: { readonly year: number; readonly month: number; readonly day: number };
  /** A moment by the calendar; months from 1. Days and hours beyond their month or day run on. */
  readonly at: (year: number, month: number, day: number, hour?: number, minute?: number) => number;
}

/** From its first moment up to where the next one begins. */
export interface Span {
  readonly from_ms: number;
  readonly to_ms: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const AGO = /^(\d{1,5})([hdw])$/;
/** A year of three digits is a mistake, and calendars of programs take it for another. */
const YEAR = /^([1-9]\d{3})$/;
const MONTH = /^([1-9]\d{3})-(\d{2})$/;
const DAY = /^([1-9]\d{3})-(\d{2})-(\d{2})$/;
const MOMENT = /^([1-9]\d{3})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/i;

/** Pure: what a date stands for; null for what is none. `7d` is the day seven days ago, `2h` the hour two hours ago. */
export function spanOf(value: string, days: LocalDays): Span | null {
  const word = value.toLowerCase();
  if (word === 'today') return dayAgo(0, days);
  if (word === 'yesterday') return dayAgo(1, days);
  const [, count, unit] = AGO.exec(word) ?? [];
  if (count !== undefined) return ago(Number(count), unit ?? '', days);
  const year = YEAR.exec(value)?.[1];
  if (year !== undefined) return between(days.at(Number(year), 1, 1), days.at(Number(year) + 1, 1, 1));
  return monthOf(value, days) ?? dayOf(value, days) ?? momentOf(value, days);
}

function ago(count: number, unit: string, days: LocalDays): Span | null {
  if (unit !== 'h') return dayAgo(unit === 'w' ? count * 7 : count, days);
  const from = days.now - count * HOUR_MS;
  return between(from, from + HOUR_MS);
}

function dayAgo(count: number, { today: { year, month, day }, at }: LocalDays): Span | null {
  return between(at(year, month, day - count), at(year, month, day - count + 1));
}

function monthOf(value: string, { at }: LocalDays): Span | null {
  const [, year, month] = MONTH.exec(value)?.map(Number) ?? [];
  if (year === undefined || month === undefined || !isDay(year, month, 1)) return null;
  return between(at(year, month, 1), at(year, month + 1, 1));
}

function dayOf(value: string, { at }: LocalDays): Span | null {
  const [, year, month, day] = DAY.exec(value)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined || !isDay(year, month, day)) return null;
  return between(at(year, month, day), at(year, month, day + 1));
}

function momentOf(value: string, { at }: LocalDays): Span | null {
  const parts = MOMENT.exec(value);
  if (parts === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = parts.slice(1, 6).map(Number);
  if (!isDay(year, month, day) || hour > 23 || minute > 59) return null;
  const from = parts[6] === undefined ? at(year, month, day, hour, minute) : Date.parse(value.toUpperCase());
  return between(from, from + MINUTE_MS);
}

/** Whether the calendar has it. */
function isDay(year: number, month: number, day: number): boolean {
  const time = new Date(Date.UTC(year, month - 1, day));
  return time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
}

/** A time that no clock can show is none. */
function between(from_ms: number, to_ms: number): Span | null {
  return Number.isFinite(from_ms) && Number.isFinite(to_ms) ? { from_ms, to_ms } : null;
}
