import * as z from 'zod/mini';
import type { Invocation } from '../core/reactors/invocation.ts';
import { defined, type Undefinable } from '../core/shared/defined.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';
import { pageParameters, pageRequest, queryOf } from './page.ts';
import { described, time, uuid, type Response } from './parts.ts';

/** Reads the query of "list parked deliveries" (docs/contract.md#parked-deliveries). */
export const listDeliveriesQuery = /* @__PURE__ */ queryOf({ once: ['size', 'after'] }, (query) => {
  const input = (name: string) => query.get(name) ?? undefined;
  const page = pageRequest({ size: input('size'), after: input('after') });
  return { size: page.size, cursor: page.kind === 'after' ? page.cursor : undefined };
});

/** The query of {@link listDeliveriesQuery}, as the OpenAPI document describes it. */
export const listDeliveriesParameters = () => {
  const { size, after } = pageParameters();
  return z.object({ size, after });
};

/** A parked delivery as callers see it (docs/contract.md#parked-deliveries). */
export const parkedDelivery = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      invocation_id: uuid(),
      status: described(z.enum(['succeeded', 'failed']), 'How the run ended.'),
      attempts: described(z.int(), 'Attempts since it was last sent.'),
      last_status: described(z.optional(z.int()), 'HTTP status of the response to the last attempt.'),
      last_reason: described(
        z.optional(z.string()),
        'Why the last attempt got no response, such as `connection refused`. `forbidden`: a key that asked for the delivery was revoked, and nothing more is sent.',
      ),
      created_at: described(time(), 'When the reactor was invoked.'),
      deleted_at: described(time(), 'When the delivery is deleted with its result.'),
    })
    .check(
      z.meta({
        id: 'ParkedDelivery',
        examples: [
          {
            invocation_id: 'c0a5b7de-0c1f-4b7a-9d57-1de1a0f0b0a4',
            status: 'succeeded',
            attempts: 10,
            last_status: 503,
            created_at: '2026-11-21T10:15:30.123+00:00',
            deleted_at: '2026-12-05T11:40:42.007+00:00',
          },
        ],
      }),
    ),
);

type ParkedDeliveryObject = Response<typeof parkedDelivery>;

/** Shows a parked delivery, and nothing of its payload, its result and its address. */
export const presentParked = (invocation: Invocation): ParkedDeliveryObject =>
  defined({
    invocation_id: invocation.id,
    status: invocation.state === 'succeeded' ? 'succeeded' : 'failed',
    attempts: invocation.attempts,
    last_status: invocation.lastStatus,
    last_reason: invocation.lastReason,
    created_at: formatTimestamp(invocation.createdAt),
    deleted_at: formatTimestamp(invocation.dueAt),
  } satisfies Undefinable<ParkedDeliveryObject>);
