import { z } from 'zod';
import { START } from './local-app.ts';

/** The log of the sender has such a line for each attempt (src/lambda/delivery-report.ts). */
const attemptLine = z.object({
  operation: z.literal('deliverResult'),
  outcome: z.enum(['failed', 'parked']),
  invocationId: z.string(),
  attempt: z.number(),
  reason: z.string(),
  nextAttempt: z.exactOptional(z.string()),
});

/** Must equal the number of attempts in src/core/reactors/invocation.ts. */
const ATTEMPTS = 10;

/** Reasons that `--trust` removes. */
const TRUSTABLE = new Set(['self-signed certificate', 'certificate of an unknown authority']);

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Describes a failed attempt to deliver a result for the terminal, from a log line of a function.
 * Returns `undefined` for any other line.
 */
export function deliveryLine(line: string): string | undefined {
  // Most lines are of other operations; JSON is parsed only for these.
  if (!line.includes('"deliverResult"')) return undefined;
  const found = attemptLine.safeParse(parsed(line));
  if (!found.success) return undefined;
  const { invocationId, attempt, reason, nextAttempt } = found.data;
  const next =
    nextAttempt === undefined
      ? 'parked (cloakroom operator list-deliveries --local)'
      : `next at ${nextAttempt.slice(11, 19)}`;
  const hint = TRUSTABLE.has(reason) ? ` (accept it by ${START} --trust FILE)` : '';
  return `delivery of ${invocationId} failed: ${reason}${hint}, attempt ${String(attempt)} of ${String(ATTEMPTS)}, ${next}`;
}
