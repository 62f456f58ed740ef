import { randomUUID } from 'node:crypto';
import type { Invocation } from '../../../src/core/reactors/invocation.ts';

/** An invocation that waits for a worker, by default of a tenant without any other. */
export const anInvocation = (more: Partial<Invocation> = {}): Invocation => ({
  id: randomUUID(),
  tenantId: randomUUID(),
  reactorId: randomUUID(),
  credentialId: randomUUID(),
  state: 'queued',
  createdAt: Date.now(),
  delivery: 'none',
  attempts: 0,
  dueAt: 1,
  readableUntil: 2,
  ...more,
});
