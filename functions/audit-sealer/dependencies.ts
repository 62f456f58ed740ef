import { Metrics } from '@aws-lambda-powertools/metrics';
import { dynamoDbClient, kmsClient } from '../../src/adapters/aws/clients.ts';
import { createIndexStore } from '../../src/adapters/dynamodb/index-store.ts';
import { createSealHead, createSealStore } from '../../src/adapters/dynamodb/seal-store.ts';
import { createTrailReader } from '../../src/adapters/dynamodb/trail-reader.ts';
import { createSealSigner, sealPublicKey } from '../../src/adapters/kms/kms-seal-key.ts';
import { newSealerMemory, type SealTrailDeps } from '../../src/core/trail/seal-trail.ts';
import { madeOnce } from '../../src/core/shared/made-once.ts';
import { logFailure } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

export type AuditSealerDeps = Omit<SealTrailDeps, 'deadline'> & {
  /** Created with the first run, which loads the library (lib/bundle.ts). */
  readonly metrics: () => Metrics;
};

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv): AuditSealerDeps {
  const config = environment.parse(env);
  const [client, kms] = [dynamoDbClient(), kmsClient()];
  const audit = { client, name: config.AUDIT_TABLE };
  return {
    trail: createTrailReader(audit),
    indexes: createIndexStore({ client, name: config.AUDIT_INDEX_TABLE }, audit),
    memory: newSealerMemory(),
    seals: createSealStore({ client, name: config.AUDIT_SEALS_TABLE }),
    head: createSealHead({ client, name: config.ACCESS_TABLE }),
    signer: createSealSigner(kms, config.SEAL_KEY_ID),
    publicKey: () => sealPublicKey(kms, config.SEAL_KEY_ID),
    onIndexingFailed: logFailure('indexAuditTrail'),
    clock: Date.now,
    metrics: madeOnce(() => new Metrics({ namespace: config.SERVICE_NAME, serviceName: 'audit' })),
  };
}
