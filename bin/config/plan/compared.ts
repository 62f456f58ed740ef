import type { Difference, PlannedEffect } from '../model.ts';
import type { Report } from './normal.ts';

/** A resource compared with its entry, apart from its keys and its name in the file. */
export interface Compared {
  readonly differences: readonly Difference[];
  readonly effects: readonly PlannedEffect[];
}

export const NOTHING: Compared = { differences: [], effects: [] };

/** Names an id in words. */
export type NameOf = (id: string) => string;

/** Computes the hash by which proxies pin the code of a reactor; `undefined` if it is not known. */
export type ExpectedHash = (reactorId: string) => string | undefined;

export interface Around {
  readonly nameOf: NameOf;
  readonly hashOf: ExpectedHash;
  readonly report: Report;
}

/** Reports what the service has, and this command does not know. */
export const ofService =
  (report: Report): Report =>
  (words) => {
    report(`has at the service what this command does not know: ${words}`);
  };
