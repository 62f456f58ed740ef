import { randomBytes, randomUUID } from 'node:crypto';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { createCredentialStore } from '../../../src/adapters/dynamodb/credential-store.ts';
import { createSessionStore } from '../../../src/adapters/dynamodb/session-store.ts';
import type { Application } from '../../../src/core/applications/application.ts';
import { aKey, anApplication } from '../../support/builders/an-application.ts';
import { tablesInMemory } from '../../support/stores-in-memory.ts';

const { table } = tablesInMemory();
const store = createSessionStore(table('Ephemeral'), createCredentialStore(table('Access')));
const ENDS = 2_000_000_000_000;

async function created(more: Partial<Application>) {
  const application = anApplication(more);
  await createApplicationStore(table('Access')).create(application);
  const session = {
    id: randomUUID(),
    tenantId: application.tenantId,
    createdBy: { applicationId: application.id, keyId: application.keys[0]?.id ?? '' },
    keyHash: randomBytes(32),
    nonceHash: randomBytes(32),
    expiresAtMs: ENDS,
  };
  await store.create(session);
  return {
    nonce: await store.findNonce(session.tenantId, session.nonceHash),
    credential: await store.findByKeyHash(session.keyHash),
  };
}

it.each<[string, Partial<Application>, number]>([
  ['by itself', {}, ENDS],
  ['with its application', { expiresAtMs: ENDS - 1 }, ENDS - 1],
  ['with the key of its application', { keys: [aKey({ expiresAtMs: ENDS - 1 })] }, ENDS - 1],
  ['before an application that ends later', { expiresAtMs: ENDS + 1 }, ENDS],
])('a session and its nonce end %s', async (_title, more, expiresAtMs) => {
  const { nonce, credential } = await created(more);
  expect(nonce).toMatchObject({ expiresAtMs, isUsed: false });
  expect(credential).toMatchObject({ expiresAtMs });
});

it('the nonce of one tenant is not found by another', async () => {
  const application = anApplication();
  await createApplicationStore(table('Access')).create(application);
  const nonceHash = randomBytes(32);
  await store.create({
    id: randomUUID(),
    tenantId: application.tenantId,
    createdBy: { applicationId: application.id, keyId: application.keys[0]?.id ?? '' },
    keyHash: randomBytes(32),
    nonceHash,
    expiresAtMs: ENDS,
  });
  expect(await store.findNonce(randomUUID(), nonceHash)).toBeUndefined();
  expect(await store.findNonce(application.tenantId, nonceHash)).toBeDefined();
});
