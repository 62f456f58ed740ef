import { generateKeyPairSync } from 'node:crypto';
import { createVault } from '../../src/core/crypto/vault.ts';
import { aVault } from '../support/builders/a-vault.ts';
import { aSealSigner } from '../support/fakes/a-seal-signer.ts';
import {
  anAuditTrail,
  mark,
  recordKey,
  someRecordsAt,
  someTrailPages,
} from '../support/fakes/an-audit-trail.ts';
import { anIndex, anIndexReader, anIndexStore, someIndexPages } from '../support/fakes/an-index.ts';
import { reactorFunctions } from '../support/fakes/reactor-functions.ts';
import { aKeyService, someTenantKeys } from '../support/tenant-keys.ts';
import { indexStoreContract } from './index-store-contract.ts';
import { keyServiceContract } from './key-service-contract.ts';
import { reactorFunctionsContract } from './reactor-functions-contract.ts';
import { sealSignerContract } from './seal-signer-contract.ts';
import { trailReaderContract } from './trail-reader-contract.ts';
import { vaultContract } from './vault-contract.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

/*
 * Each fake under its adapter's contract. Stubs whose result the test states need none:
 * `EgressClient`, `CredentialStore`, `ReactorRunner` and queues. Tests use stores as they are, over
 * a DynamoDB in memory, but for those of records and their indexes: their fakes return what no
 * adapter returns, such as an expiry that is no number, and need no 32 queries for each minute.
 */
const always =
  <T>(made: T) =>
  () =>
    made;

reactorFunctionsContract('in memory', always(reactorFunctions()));
keyServiceContract('in memory', always(aKeyService().service));
vaultContract('without encryption', always(aVault()));
vaultContract('over tenant keys', always(createVault(someTenantKeys(), machinePlatform.random)));
sealSignerContract('in memory', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return Promise.resolve({ signer: aSealSigner(privateKey), publicKey });
});
trailReaderContract('in memory', () => {
  const records: NonNullable<Parameters<typeof anAuditTrail>[0]> = new Map();
  const marks: NonNullable<Parameters<typeof anAuditTrail>[1]> = new Map();
  return {
    reader: anAuditTrail(records, marks),
    pages: someTrailPages(records),
    recordsAt: someRecordsAt(records),
    mark: ({ minute, ...shard }) => {
      mark(marks, shard, minute);
      return Promise.resolve();
    },
    write: (record) => Promise.resolve(records.set(recordKey(record.trail, record), record)),
  };
});
indexStoreContract('in memory', () => {
  const index = anIndex();
  return { store: anIndexStore(index), reader: anIndexReader(index), pages: someIndexPages(index) };
});
