import type { Json } from '../shared/json.ts';

/** Tells what is wrong with the data of a token: `path` in the request (`data.number`), `message` without any of the value. */
export type Report = (path: string, message: string) => void;

/** What the check of a type leaves: the data in its stored form, and a card's cvc apart from it. */
export interface CheckedData {
  readonly data: Json;
  readonly cvc?: string;
}

/** Checks and normalises the data of one type; what it reports makes the request fail. */
export type DataCheck = (data: Json, report: Report) => CheckedData;
