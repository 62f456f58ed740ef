const WEIGHTS = [3, 7, 1];
/** The first two digits of a number: government, the Federal Reserve, thrifts, travelers checks. */
const PREFIXES = [
  [0, 12],
  [21, 32],
  [61, 72],
  [80, 80],
] as const;

/** Whether nine digits begin as an ABA routing number does (ABA Key to Routing Numbers). */
export function hasAbaPrefix(digits: string): boolean {
  const prefix = Number(digits.slice(0, 2));
  return PREFIXES.some(([first, last]) => prefix >= first && prefix <= last);
}

/**
 * Whether nine digits are an ABA routing number: the first two are assigned, not all are zero, and
 * 3(d1+d4+d7) + 7(d2+d5+d8) + (d3+d6+d9) is divisible by 10 (ABA Key to Routing Numbers).
 */
export function isAbaRouting(digits: string): boolean {
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + Number(digit) * (WEIGHTS[index % 3] ?? 0),
    0,
  );
  return sum > 0 && sum % 10 === 0 && hasAbaPrefix(digits);
}
