import * as z from 'zod/mini';
import type { RunOutcome } from '../../core/reactors/reactor-runner.ts';
import { DEPTH_MAX, JsonExtentError, membersOf } from '../../core/shared/json-extent.ts';
import type { Json } from '../../core/shared/json.ts';
import { parseJson } from '../../core/shared/parse-json.ts';
import { Secret } from '../../core/shared/secret.ts';

const json = z.custom<Json>(() => true);

const errors = z.record(z.string(), z.array(z.string()));

/**
 * What the runtime of a reactor answers (docs/reactors.md#the-runtime). It runs beside hostile
 * code: nothing is taken on trust.
 */
const answer = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('returned'), value: z.optional(json) }),
  z.object({
    outcome: z.literal('threw'),
    error: z.object({
      name: z.string(),
      message: z.string(),
      status: z.nullable(z.int()),
      errors: z.nullable(errors),
    }),
  }),
  z.object({ outcome: z.literal('not_loaded') }),
  z.object({ outcome: z.literal('timed_out') }),
  z.object({ outcome: z.literal('out_of_memory') }),
  z.object({ outcome: z.literal('exited') }),
  z.object({ outcome: z.literal('too_large') }),
  z.object({ outcome: z.literal('unserializable') }),
  z.object({ outcome: z.literal('stale') }),
]);

/**
 * Most bytes of a result where it stands as a string in an answer: with its quotation marks
 * escaped.
 */
const ESCAPED_MAX_BYTES = 5_900_000;

function returned(payload: Uint8Array | undefined, value: Json): RunOutcome {
  const length = payload?.length ?? 0;
  const isLarge =
    length * 2 > ESCAPED_MAX_BYTES &&
    Buffer.byteLength(JSON.stringify(JSON.stringify(value))) > ESCAPED_MAX_BYTES;
  return isLarge ? { outcome: 'too_large' } : { outcome: 'returned', value: new Secret(value) };
}

/** The object that the value stands in. */
const ENVELOPE_DEPTH = 1;
const EXCESS = { depth: 'unserializable', members: 'too_large' } as const;

/**
 * What the runtime answered, if it holds no more than a body may: counted before anything is made
 * of it.
 */
function parsed(payload: Uint8Array | undefined): unknown {
  const text = Buffer.from(payload ?? []).toString('utf8');
  try {
    membersOf(text, { depthMax: DEPTH_MAX + ENVELOPE_DEPTH });
    return parseJson(text);
  } catch (error) {
    return error instanceof JsonExtentError ? { outcome: EXCESS[error.exceeds] } : undefined;
  }
}

/**
 * The outcome in an answer; what is none is `exited`: something else than the runtime has answered,
 * or nothing.
 */
export function outcomeOf(payload: Uint8Array | undefined): RunOutcome {
  const result = answer.safeParse(parsed(payload));
  if (!result.success) return { outcome: 'exited' };
  if (result.data.outcome === 'returned') return returned(payload, result.data.value ?? null);
  return result.data.outcome === 'threw'
    ? { outcome: 'threw', error: new Secret(result.data.error) }
    : result.data;
}
