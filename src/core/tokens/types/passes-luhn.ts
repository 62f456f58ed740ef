/**
 * Whether the digits pass the Luhn check (ISO/IEC 7812-1, annex B): every second digit from the
 * right is doubled, and the sum must be divisible by 10. Zeros alone are no number of any issuer.
 */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = digit * 2;
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum > 0 && sum % 10 === 0;
}
