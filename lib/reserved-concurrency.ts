import { z } from 'zod';

/** The functions of the service by the names of their folders in `functions/`. */
export const FUNCTION_FOLDERS = [
  'applications',
  'audit-sealer',
  'logs',
  'operator',
  'operator-access',
  'proxies',
  'proxy',
  'reactor-worker',
  'reactors',
  'republisher',
  'sweeper',
  'tokens',
  'webhook-sender',
] as const;

export type FunctionFolder = (typeof FUNCTION_FOLDERS)[number];

/**
 * Lambda reserves so much of an account's quota for functions without a reservation (AWS Lambda
 * Developer Guide, Configuring reserved concurrency).
 */
export const UNRESERVED_LEAST = 100;

/** A queue invokes its function with at least two calls at once (SQS, MaximumConcurrency). */
const QUEUE_LEAST = 2;
const OF_QUEUES: readonly string[] = ['reactor-worker', 'webhook-sender'] satisfies FunctionFolder[];

const nameOf = (entry: string): string => entry.slice(0, entry.indexOf('='));
const countOf = (entry: string): number => Number(entry.slice(entry.indexOf('=') + 1));

/** Why an entry such as `proxy=300` is none; `undefined` if it is one. */
function problemOf(entry: string): string | undefined {
  const [, name = '', digits = ''] = /^([a-z-]+)=(\d{1,7})$/.exec(entry) ?? [];
  if (name === '') return 'must be functions with numbers, such as proxy=300,reactors=200';
  if (!FUNCTION_FOLDERS.some((folder) => folder === name))
    return `must name functions; ${name} is none of ${FUNCTION_FOLDERS.join(', ')}`;
  const least = OF_QUEUES.includes(name) ? QUEUE_LEAST : 1;
  if (Number(digits) < least) return `must be at least ${String(least)} for ${name}`;
  return undefined;
}

/** The instances that only the named function may use, and the most that it may. */
export const reservedConcurrency = z.array(z.string()).superRefine((entries, context) => {
  const problem = entries.map(problemOf).find((one) => one !== undefined);
  const twice = entries.map(nameOf).find((name, at, names) => names.indexOf(name) < at);
  const message = problem ?? (twice === undefined ? undefined : `must name ${twice} once`);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** All that is reserved. */
export const reservedInAll = (entries: readonly string[]): number =>
  entries.reduce((sum, entry) => sum + countOf(entry), 0);

/** The reservation of a function; one without shares the rest with others. */
export function reservedFor(entries: readonly string[], folder: FunctionFolder): number | undefined {
  const entry = entries.find((each) => nameOf(each) === folder);
  return entry === undefined ? undefined : countOf(entry);
}

/** Why the account would refuse the reservations; `undefined` if it would not. */
export function reservationProblem(entries: readonly string[], quota: number): string | undefined {
  const reserved = reservedInAll(entries);
  return reserved === 0 || reserved <= quota - UNRESERVED_LEAST
    ? undefined
    : `must leave ${String(UNRESERVED_LEAST)} of concurrencyQuota (${String(quota)}) to all other functions, and reserves ${String(reserved)}`;
}
