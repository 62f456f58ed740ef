const FORM = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/;

const numbersOf = (version: string): readonly number[] | undefined =>
  FORM.exec(version)?.slice(1, 4).map(Number);

/** Whether a version is later than another one. One that cannot be read counts as later. */
export function newerThan(version: string, other: string): boolean {
  const one = numbersOf(version);
  const two = numbersOf(other);
  if (one === undefined || two === undefined) return version !== other;
  const at = one.findIndex((number, index) => number !== two[index]);
  return at >= 0 && (one[at] ?? 0) > (two[at] ?? 0);
}
