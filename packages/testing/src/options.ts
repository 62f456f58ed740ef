import * as z from 'zod/mini';
import type { Failure, VaultOptions } from './vault.ts';

/** A test may be JavaScript, and a wrong option would only show in a later failure. */
const OPTIONS = z.strictObject({
  now: z.optional(z.union([z.date(), z.string(), z.number()])),
  baseUrl: z.optional(z.string()),
  clientCompatibility: z.optional(z.enum(['strict', 'lenient'])),
  headerPrefix: z.optional(z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9]{0,19}$/))),
  cvcLifetimeSeconds: z.optional(z.int().check(z.minimum(1), z.maximum(3_600))),
  egressAllowList: z.optional(z.array(z.string())),
  print: z.optional(z.custom<VaultOptions['print']>((value) => typeof value === 'function')),
});

const STATUSES = [408, 409, 429, 500, 502, 503] as const;
const FAILURE = z.strictObject({
  operation: z.string(),
  times: z.optional(z.int().check(z.minimum(1))),
  status: z.optional(z.literal(STATUSES)),
});

/** Describes the value that each member must have, in words that follow `must be`. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['now', 'a Date, a time as text such as 2030-01-31T12:00:00Z, or ms since the epoch'],
  ['baseUrl', 'an https address without a path'],
  ['clientCompatibility', 'strict or lenient'],
  ['headerPrefix', 'a letter, then up to 19 letters and digits'],
  ['cvcLifetimeSeconds', 'a whole number from 1 to 3600'],
  ['egressAllowList', "a list of texts such as 'localhost:9777'"],
  ['print', 'a function'],
  ['operation', 'the name of an operation, such as createToken'],
  ['times', 'a whole number from 1'],
  ['status', `one of ${STATUSES.join(', ')}`],
]);

/** Throws `TypeError` that names the first wrong member of the argument of a function. */
function check(name: string, schema: z.ZodMiniObject, value: unknown): void {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return;
  const members = Object.keys(schema.shape).join(', ');
  if (issue.code === 'unrecognized_keys')
    throw new TypeError(`${name}: there is no option ${issue.keys.join(', ')}, only ${members}`);
  const [member] = issue.path;
  if (member === undefined) throw new TypeError(`${name}: must be called with an object of ${members}`);
  const expected = EXPECTED.get(String(member)) ?? 'something else';
  throw new TypeError(`${name}: ${String(member)} must be ${expected}`);
}

export const checkOptions = (options: VaultOptions): void => check('createVault', OPTIONS, options);

/** The option with this name has another form than it must have. */
export const wrongOption = (name: string): TypeError =>
  new TypeError(`createVault: ${name} must be ${EXPECTED.get(name) ?? 'something else'}`);

/** `operations` are those that can fail. */
export function checkFailure(failure: Failure, operations: ReadonlySet<string>): void {
  check('vault.fail', FAILURE, failure);
  const { operation } = failure;
  if (!operations.has(operation))
    throw new TypeError(`no operation ${operation}: ${[...operations].toSorted().join(', ')}`);
  const { status = 503 } = failure;
  const isOfDestination = status === 408 || status === 502;
  const isOfWrite = status === 409;
  if ((isOfDestination && operation !== 'proxy') || (isOfWrite && /^(?:get|list|search)/.test(operation)))
    throw new TypeError(`${operation} never fails with the status ${String(status)}`);
}
