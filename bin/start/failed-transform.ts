import { z } from 'zod';
import { shownLine } from './shown-line.ts';

/** The log has such a line for a call with a failed transform (src/http/api-middlewares.ts). */
const failedCall = z.object({
  code: z.literal('transform_failed'),
  traceId: z.string(),
  proxyId: z.string(),
});
export type FailedCall = z.output<typeof failedCall>;

/** `GET /proxies/{id}/failures` returns these members of a failure (src/wire/proxy-failure.ts). */
const failures = z.object({
  data: z.array(
    z.object({
      trace_id: z.string(),
      side: z.string(),
      number: z.number(),
      type: z.string(),
      reason: z.string(),
      places: z.array(z.string()),
    }),
  ),
});

/** The call of a log line of a function; `undefined` for lines of any other kind. */
export function failedCallOf(line: string): FailedCall | undefined {
  // Most lines are of other calls; JSON is parsed only for these.
  if (!line.includes('"transform_failed"')) return undefined;
  try {
    return failedCall.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/**
 * Describes a failed transform for the terminal, from the list of its proxy: the log of a function
 * never has the reason. `read` returns the JSON of a path, with the management key. Returns
 * `undefined` if the list lacks the call.
 */
export async function failedTransformLine(
  { traceId, proxyId }: FailedCall,
  read: (path: string) => Promise<unknown>,
): Promise<string | undefined> {
  const { data } = failures.parse(await read(`/proxies/${proxyId}/failures`));
  const found = data.find(({ trace_id: id }) => id === traceId);
  if (found === undefined) return undefined;
  const { side, number, type, reason, places } = found;
  const where = places.length === 0 ? '' : ` (${places.join(', ')})`;
  return shownLine(
    `proxy ${proxyId}: ${side}_transforms[${String(number)}] (${type}) failed: ${reason}${where}, trace id ${traceId}`,
  );
}
