import { randomUUID } from 'node:crypto';
import type { Application } from '../../../src/core/applications/application.ts';
import { orderedId } from '../../../src/core/shared/ordered-id.ts';

/** By default the application is private and belongs to a tenant that has no other. */
export const anApplication = (more: Partial<Application> = {}): Application => ({
  id: orderedId(Date.now(), randomUUID()),
  tenantId: randomUUID(),
  name: 'An application',
  type: 'private',
  permissions: ['token:use', 'token:create'],
  rules: [],
  createdAt: 0,
  version: 1,
  ...more,
});
