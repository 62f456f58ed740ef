import type { Case } from './a-case.ts';
import { CONDITIONS } from './conditions.ts';
import { QUERIES } from './queries.ts';
import { STORED_ITEMS } from './stored-items.ts';
import { WRITES } from './writes.ts';

export const CASES: readonly Case[] = [...STORED_ITEMS, ...CONDITIONS, ...QUERIES, ...WRITES];
