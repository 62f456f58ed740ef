const BYTES = 16;
const HEXADECIMAL = 16;
const DIGITS = 2;

/** 128 random bits as text. A page that is not secure has no `crypto.randomUUID`. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) =>
    byte.toString(HEXADECIMAL).padStart(DIGITS, '0'),
  ).join('');
