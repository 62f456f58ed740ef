import { Option } from 'commander';
import { UsageError } from './failures.ts';

const DEFAULT = 20;
const MAX = 10_000;

/** `--limit N` of a list. Read it by {@link limitOf}. */
export const limitOption = (): Option =>
  new Option('--limit <N>', `how many at most (default ${String(DEFAULT)})`).argParser((text) => {
    const limit = Number(text);
    if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX) return limit;
    throw new UsageError(`--limit must be a whole number from 1 to ${String(MAX)}`);
  });

export const limitOf = ({ limit = DEFAULT }: { readonly limit?: number }): number => limit;

/** A page of a list has at most 100 items. */
export const pageSizeOf = (limit: number): number => Math.min(limit, 100);
