/** A card of a test, as an export of a payment provider has it. */
export interface SampleCard {
  readonly customer: string;
  readonly id: string;
  readonly holder: string;
  readonly number: string;
  readonly month: number;
  readonly year: number;
}

/** The first digits of the test numbers that payment providers publish. */
const PREFIXES = ['424242', '555555', '411111', '222300', '510510'];
const DIGITS = 16;
/** So many numbers have one prefix. The factor shares no divisor with it, so none comes twice. */
const NUMBERS = 1e9;
const SPREAD = 618_033;
const OFFSET = 271_828_183;
const FIRST_YEAR = 2030;
const YEARS = 8;

/** The last digit that makes a number pass the Luhn check. */
function checkDigit(digits: string): number {
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return (10 - (sum % 10)) % 10;
}

/** A number with a valid check digit. Different indexes have different numbers. */
export function sampleNumber(index: number): string {
  const prefix = PREFIXES[index % PREFIXES.length] ?? '';
  const own = (index * SPREAD + OFFSET) % NUMBERS;
  const digits = `${prefix}${String(own).padStart(DIGITS - prefix.length - 1, '0')}`;
  return `${digits}${String(checkDigit(digits))}`;
}

/** Two cards belong to one customer. */
export function sampleCard(index: number): SampleCard {
  const customer = Math.floor(index / 2);
  return {
    customer: `cus_${String(customer).padStart(8, '0')}`,
    id: `card_${String(index).padStart(8, '0')}`,
    holder: `Holder ${String(customer)}`,
    number: sampleNumber(index),
    month: (index % 12) + 1,
    year: FIRST_YEAR + (index % YEARS),
  };
}
