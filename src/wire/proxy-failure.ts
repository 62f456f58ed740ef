import * as z from 'zod/mini';
import type { ProxyFailure } from '../core/stored-proxies/proxy-failure-store.ts';
import { TRANSFORM_TYPES } from '../core/stored-proxies/stored-proxy.ts';
import { defined } from '../core/shared/defined.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';
import { described, time, type Response } from './parts.ts';

/** Describes a failed transform of one call (docs/contract.md#failures-of-transforms). */
export const proxyFailureResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      trace_id: described(z.string(), 'The call, as in its response and in the audit trail.'),
      at: time(),
      side: z.enum(['request', 'response']),
      number: described(z.int(), 'The transform in the list of its side, from 0.'),
      type: z.enum(TRANSFORM_TYPES),
      code: described(
        z.optional(z.string()),
        'The code of the error; absent where the message does not fit the transform.',
      ),
      reason: z.string(),
      places: described(
        z.array(z.string()),
        'What the reason is about: places in the body, such as `$.card.holder`, or members.',
      ),
    })
    .check(z.meta({ id: 'ProxyFailure' })),
);

/** Lists the last failures of a proxy. */
export const proxyFailuresResponse = /* @__PURE__ */ madeOnce(() =>
  z.object({ data: z.array(proxyFailureResponse()) }).check(z.meta({ id: 'ProxyFailures' })),
);

const presentFailure = (failure: ProxyFailure): Response<typeof proxyFailureResponse> =>
  defined({
    trace_id: failure.traceId,
    at: formatTimestamp(failure.at),
    side: failure.side,
    number: failure.number,
    type: failure.type as (typeof TRANSFORM_TYPES)[number],
    code: failure.code,
    reason: failure.reason,
    places: [...failure.places],
  });

export const presentFailures = (
  failures: readonly ProxyFailure[],
): Response<typeof proxyFailuresResponse> => ({
  data: failures.map(presentFailure),
});
