/** Numbers this short are always exact unless they have an exponent. */
const EXACT_LENGTH = 15;
const NUMBER = /^-?\d/;

/** `/0+$/` would scan every run of zeros again from each of its zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/**
 * The digits of a decimal number without leading and trailing zeros, and its exponent. Equal values
 * have equal results.
 */
function decimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^[+-]/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  return `${significant}e${String(Number(exponent) - fraction.length + digits.length - significant.length)}`;
}

/** Whether a double cannot represent a number of the text exactly (RFC 8259, section 6). */
export function losesPrecision(text: string): boolean {
  const mayLose = text.length > EXACT_LENGTH || /e/i.test(text);
  if (!mayLose || !NUMBER.test(text)) return false;
  const value = Number(text);
  return !Number.isFinite(value) || decimal(String(value)) !== decimal(text);
}
