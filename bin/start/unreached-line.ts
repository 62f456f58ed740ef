import { z } from 'zod';

/**
 * The log has such a line for a call whose destination sent no response
 * (src/http/api-middlewares.ts).
 */
const failedCall = z.object({
  code: z.enum(['destination_unreachable', 'destination_timeout']),
  traceId: z.string(),
  cause: z.array(z.string()),
});

const WHAT = {
  destination_unreachable: 'the destination cannot be reached',
  destination_timeout: 'the destination did not respond in time',
} as const;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Describes a call of the proxy whose destination sent no response for the terminal, from a log
 * line of a function. Returns `undefined` for any other line. Its caller does not get the code of
 * Node.js.
 */
export function unreachedLine(line: string): string | undefined {
  // Most lines are of other calls; JSON is parsed only for these.
  if (!line.includes('"destination_')) return undefined;
  const found = failedCall.safeParse(parsed(line));
  if (!found.success) return undefined;
  const { code, traceId, cause } = found.data;
  const [reason] = cause.flatMap((each) =>
    each.split(' | ').filter((part) => /^[A-Z][A-Z0-9_]{2,}$/.test(part)),
  );
  return `call of the proxy failed: ${WHAT[code]}${reason === undefined ? '' : ` (${reason})`}, trace id ${traceId}`;
}
