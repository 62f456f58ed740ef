/** UUIDs, times and epochs in ms: their digits can be those of a card by chance. */
const RANDOM = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+|\b\d{13}\b/g;

/** A value as text, to search for what it must not have, without what is drawn or a time. */
export const withoutRandom = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(RANDOM, '');
