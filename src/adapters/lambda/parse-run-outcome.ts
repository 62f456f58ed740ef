import * as z from 'zod/mini';
import { REACTOR_LIMITS } from '../../core/reactors/reactor.ts';
import type { RunOutcome } from '../../core/reactors/reactor-runner.ts';
import { DEPTH_MAX, JsonExtentError, membersOf } from '../../core/shared/json-extent.ts';
import type { Json } from '../../core/shared/json.ts';
import { parseJson } from '../../core/shared/parse-json.ts';
import { Secret } from '../../core/shared/secret.ts';

/** The last column, or line, that code of the maximum length can have. */
const PLACE_MAX = REACTOR_LIMITS.code + 1;

/** No place in the text of packages is larger. */
const PACKAGE_PLACE_MAX = 4_000_001;

const LOAD_FAILURES = ['syntax', 'no_function', 'timed_out', 'memory', 'exited', 'threw', 'module'] as const;

/**
 * The response of a reactor's runtime (docs/reactors.md#the-runtime). The runtime runs next to
 * hostile code, so every member is checked.
 */
const runtimeResponse = z.lazy(() => {
  const json = z.custom<Json>(() => true);

  const errors = z.record(z.string(), z.array(z.string()));

  const place = z.int().check(z.minimum(1), z.maximum(PLACE_MAX));

  const packagePlace = z.int().check(z.minimum(1), z.maximum(PACKAGE_PLACE_MAX));

  /** Matches names of npm packages, paths in them, and Node's built-ins. */
  const moduleName = z.string().check(z.maxLength(214), z.regex(/^[\w@~-][\w@.:/~-]*$/));

  const thrownPlace = z.object({
    class: z.optional(z.string().check(z.regex(/^[A-Za-z_$][\w$]{0,63}$/))),
    line: z.optional(place),
    column: z.optional(place),
    package: z.optional(moduleName),
    package_line: z.optional(packagePlace),
    package_column: z.optional(packagePlace),
  });

  return z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('returned'), value: z.optional(json) }),
    z.object({
      outcome: z.literal('threw'),
      error: z.extend(thrownPlace, {
        message: z.string(),
        status: z.nullable(z.int()),
        errors: z.nullable(errors),
        module: z.optional(z.nullable(moduleName)),
      }),
    }),
    z.object({
      outcome: z.literal('not_loaded'),
      reason: z.optional(z.enum(LOAD_FAILURES)),
      error: z.optional(thrownPlace),
      module: z.optional(moduleName),
    }),
    z.object({ outcome: z.literal('timed_out') }),
    z.object({ outcome: z.literal('out_of_memory') }),
    z.object({ outcome: z.literal('exited') }),
    z.object({ outcome: z.literal('too_large') }),
    z.object({ outcome: z.literal('unserializable') }),
    z.object({ outcome: z.literal('stale') }),
  ]);
});

/** Most bytes of a result as a JSON string inside a response, which escapes its quotation marks. */
const ESCAPED_MAX_BYTES = 5_900_000;

function returned(payload: Uint8Array | undefined, value: Json): RunOutcome {
  const length = payload?.length ?? 0;
  const isLarge =
    length * 2 > ESCAPED_MAX_BYTES &&
    Buffer.byteLength(JSON.stringify(JSON.stringify(value))) > ESCAPED_MAX_BYTES;
  return isLarge ? { outcome: 'too_large' } : { outcome: 'returned', value: new Secret(value) };
}

/** The value is inside this many levels of objects. */
const ENVELOPE_DEPTH = 1;
const EXCESS = { depth: 'unserializable', members: 'too_large' } as const;

/**
 * Parses the response of the runtime if it is within the limits of a body, which are checked first.
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
 * The outcome in a response. Any other response is `exited`, because the runtime did not write it.
 */
export function parseRunOutcome(payload: Uint8Array | undefined): RunOutcome {
  const result = runtimeResponse.safeParse(parsed(payload));
  if (!result.success) return { outcome: 'exited' };
  if (result.data.outcome === 'returned') return returned(payload, result.data.value ?? null);
  return result.data.outcome === 'threw'
    ? { outcome: 'threw', error: new Secret(result.data.error) }
    : result.data;
}
