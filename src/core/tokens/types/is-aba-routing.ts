const WEIGHTS = [3, 7, 1];

/**
 * Explains why nine digits are no ABA routing number (ABA Key to Routing Numbers); `undefined` if
 * they are one. It begins with 00 to 12 (government, Federal Reserve), 21 to 32 (thrifts), 61 to 72
 * (electronic) or 80 (travelers checks), and 3(d1+d4+d7) + 7(d2+d5+d8) + (d3+d6+d9) is divisible by
 * 10.
 */
export function routingProblem(digits: string): string | undefined {
  const prefix = Number(digits.slice(0, 2));
  const rest = prefix % 40;
  if (!(prefix < 13 || (prefix < 73 && rest > 20 && rest < 33) || prefix === 80))
    return 'no bank has its prefix';
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + Number(digit) * (WEIGHTS[index % 3] ?? 0),
    0,
  );
  if (sum === 0) return 'it is all zeros';
  return sum % 10 === 0 ? undefined : 'its ABA checksum does not fit';
}

export const isAbaRouting = (digits: string): boolean => routingProblem(digits) === undefined;
