import { randomUUID } from 'node:crypto';
import type { StoredReactor } from '../../../src/core/reactors/reactor.ts';
import { orderedId } from '../../../src/core/shared/ordered-id.ts';

/** By default the reactor belongs to a tenant that has no other. */
export const aStoredReactor = (more: Partial<StoredReactor> = {}): StoredReactor => ({
  id: orderedId(Date.now(), randomUUID()),
  tenantId: randomUUID(),
  name: 'Charge',
  createdBy: randomUUID(),
  createdAt: 1,
  image: 'node16',
  codeHash: 'hash',
  encryptedCode: Buffer.from('code'),
  encryptedConfiguration: Buffer.from('configuration'),
  state: 'ready',
  functionVersion: '1',
  revision: 1,
  version: 1,
  ...more,
});
