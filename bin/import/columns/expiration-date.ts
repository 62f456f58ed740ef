export interface MonthOfYear {
  readonly month: string;
  readonly year: string;
}

const FORMS: readonly RegExp[] = [
  /^(?<month>\d{1,2})\s*[/-]\s*(?<year>\d{4}|\d{2})$/,
  /^(?<month>\d{2})(?<year>\d{4}|\d{2})$/,
  /^(?<year>\d{4})-(?<month>\d{1,2})$/,
];

export const EXPIRATION_FORM = 'must be a month and a year, such as 09/2030, 09/30, 092030 or 2030-09';

/** The month and year of a card's expiry as exports write it; `undefined` for any other text. */
export function expirationDate(text: string): MonthOfYear | undefined {
  for (const form of FORMS) {
    const { month = '', year = '' } = form.exec(text.trim())?.groups ?? {};
    if (month === '' || Number(month) < 1 || Number(month) > 12) continue;
    // Cards are valid for some years, so none of them is of another century.
    return { month, year: year.length === 2 ? `20${year}` : year };
  }
  return undefined;
}
