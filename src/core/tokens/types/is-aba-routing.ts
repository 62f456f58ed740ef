const WEIGHTS = [3, 7, 1];

/**
 * Whether nine digits are an ABA routing number: 3(d1+d4+d7) + 7(d2+d5+d8) + (d3+d6+d9) must be
 * divisible by 10 (ABA Key to Routing Numbers).
 */
export function isAbaRouting(digits: string): boolean {
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + Number(digit) * (WEIGHTS[index % 3] ?? 0),
    0,
  );
  return digits !== '000000000' && sum % 10 === 0;
}
