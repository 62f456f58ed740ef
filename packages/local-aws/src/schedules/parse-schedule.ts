/**
 * True if a schedule is due in this minute: `minute` counts from the start, `time` is the start of
 * the minute.
 */
export type IsDue = (minute: number, time: Date) => boolean;

const minutesPer: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 1440 };

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The first name is that of `min`. */
  readonly names?: readonly string[];
}

/** EventBridge's six fields; Sunday is 1. */
const cronFields: readonly CronField[] = [
  { name: 'minutes', min: 0, max: 59 },
  { name: 'hours', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: monthNames },
  { name: 'day of week', min: 1, max: 7, names: dayNames },
  { name: 'year', min: 1970, max: 2199 },
];

function fieldValue(field: CronField, text: string): number {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1;
  const value = named === -1 ? Number(text) : named + field.min;
  if (!Number.isInteger(value) || value < field.min || value > field.max)
    throw new Error(`${field.name} of a cron expression cannot be ${text} locally`);
  return value;
}

/** The range of `*`, `5`, `1-5`, each with an optional `/step`. */
function fieldPart(field: CronField, text: string): (value: number) => boolean {
  const [range = '', stepText] = text.split('/');
  const step = stepText === undefined ? 1 : Number(stepText);
  if (!Number.isInteger(step) || step < 1)
    throw new Error(`${field.name} of a cron expression cannot be ${text} locally`);
  if (range === '*' || range === '?') return (value) => (value - field.min) % step === 0;
  const [first, last] = range.split('-').map((part) => fieldValue(field, part));
  const from = first ?? field.min;
  const to = last ?? (stepText === undefined ? from : field.max);
  return (value) => value >= from && value <= to && (value - from) % step === 0;
}

function parseCron(text: string): IsDue {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== cronFields.length) throw new Error(`a cron expression has six fields: cron(${text})`);
  const matchers = cronFields.map((field, index) =>
    (fields[index] ?? '').split(',').map((part) => fieldPart(field, part)),
  );
  return (_minute, time) => {
    const values = [
      time.getUTCMinutes(),
      time.getUTCHours(),
      time.getUTCDate(),
      time.getUTCMonth() + 1,
      time.getUTCDay() + 1,
      time.getUTCFullYear(),
    ];
    return matchers.every((parts, index) => parts.some((matches) => matches(values[index] ?? -1)));
  };
}

function parseRate(text: string): IsDue {
  const [, count, unit = ''] = /^\s*(\d+)\s+(minute|hour|day)s?\s*$/.exec(text) ?? [];
  const every = Number(count) * (minutesPer[unit] ?? 0);
  if (!(every > 0)) throw new Error(`not a rate: rate(${text})`);
  return (minute) => minute % every === 0;
}

/**
 * Reads `rate(5 minutes)` or `cron(0 3 * * ? *)` (UTC). Throws an Error for anything else
 * (`at(...)`, `L`, `W`, `#`).
 */
export function parseSchedule(expression: string): IsDue {
  const [, kind, text = ''] = /^(rate|cron)\((.*)\)$/.exec(expression) ?? [];
  if (kind === 'rate') return parseRate(text);
  if (kind === 'cron') return parseCron(text);
  throw new Error(`schedules like ${expression} do not run locally`);
}
