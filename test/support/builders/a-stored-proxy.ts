import { randomUUID } from 'node:crypto';
import type { ApplicationKey } from '../../../src/core/applications/application-key.ts';
import type { StoredProxy, StoredVersion } from '../../../src/core/stored-proxies/stored-proxy.ts';

/** A key of a proxy, which no caller has. */
export const aKey = (id: string): ApplicationKey => ({
  id,
  hash: Buffer.from(id.padEnd(32, '.')),
  hint: 'hint',
  createdAt: 1,
  revision: 1,
  sourceAddresses: [],
});

/** By default the proxy has one key, and belongs to a tenant that has no other. */
export const aProxy = (more: Partial<StoredProxy> = {}): StoredProxy => ({
  id: randomUUID(),
  tenantId: randomUUID(),
  definitionVersion: 1,
  encryptedDefinition: Buffer.from('definition'),
  encryptedName: Buffer.from('name'),
  configurationNames: ['A'],
  encryptedConfiguration: Buffer.from('configuration'),
  secretAuthor: 'owner',
  keys: [aKey(randomUUID())],
  createdBy: 'manager',
  createdAt: 1,
  revision: 1,
  version: 7,
  ...more,
});

/** A version, which nothing opens. */
export const aVersion = (version: number): StoredVersion => ({
  version,
  encryptedDefinition: Buffer.from(`definition ${String(version)}`),
  createdBy: 'manager',
  createdAt: version,
});
