/** An instant as people of one place read it, with its zone. */
export const readableTime = (iso: string): string => {
  const time = new Date(iso);
  return Number.isNaN(time.getTime())
    ? iso
    : time.toLocaleString('en-GB', {
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        timeZoneName: 'short',
      });
};

/** The time of day where the person is, to the second. */
export const clockTime = (iso: string): string => new Date(iso).toLocaleTimeString('en-GB');

/** An instant for the browser's input, which is in the zone of the person. */
export function localTime(iso: string | undefined): string {
  if (iso === undefined || Number.isNaN(Date.parse(iso))) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `3 minutes ago`, `in 2 days`. */
export function distanceOf(iso: string, now: number): string {
  const difference = new Date(iso).getTime() - now;
  if (Number.isNaN(difference)) return '';
  for (const [unit, length] of UNITS)
    if (Math.abs(difference) >= length)
      return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(
        Math.trunc(difference / length),
        unit,
      );
  return difference > 0 ? 'in a moment' : 'just now';
}
