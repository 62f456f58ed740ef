import { randomBytes, randomUUID } from 'node:crypto';
import type { Application } from '../../../src/core/applications/application.ts';
import type { ApplicationKey } from '../../../src/core/applications/application-key.ts';
import { orderedId } from '../../../src/core/shared/ordered-id.ts';

/** By default the key has no name, and works everywhere and for ever. */
export const aKey = (more: Partial<ApplicationKey> = {}): ApplicationKey => ({
  id: orderedId(Date.now(), randomUUID()),
  hash: randomBytes(32),
  hint: 'x7Qp',
  createdAt: 0,
  revision: 1,
  sourceAddresses: [],
  ...more,
});

/**
 * By default the application is private, has one key, and belongs to a tenant that has no other.
 */
export const anApplication = (more: Partial<Application> = {}): Application => ({
  id: orderedId(Date.now(), randomUUID()),
  tenantId: randomUUID(),
  name: 'An application',
  type: 'private',
  permissions: ['token:use', 'token:create'],
  rules: [],
  createdAt: 0,
  keys: [aKey()],
  revision: 1,
  version: 1,
  ...more,
});
