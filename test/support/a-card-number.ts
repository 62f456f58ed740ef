import { randomBytes } from 'node:crypto';

const digits = (count: number) => Array.from(randomBytes(count), (byte) => String(byte % 10)).join('');

/** Returns a random card number that ends with its Luhn digit. */
export function aCardNumber(): string {
  const start = `4929${digits(11)}`;
  const sum = Array.from(start)
    .toReversed()
    .reduce((total, digit, index) => {
      const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return `${start}${String((10 - (sum % 10)) % 10)}`;
}
