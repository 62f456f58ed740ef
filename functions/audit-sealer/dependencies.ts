import type { Metrics } from '@aws-lambda-powertools/metrics';
import { dynamoDbClient, kmsClient } from '../../src/adapters/aws/clients.ts';
import { createIndexStore } from '../../src/adapters/dynamodb/index-store.ts';
import { createSealHead, createSealStore } from '../../src/adapters/dynamodb/seal-store.ts';
import { createTrailReader } from '../../src/adapters/dynamodb/trail-reader.ts';
import type { Instance } from '../../src/adapters/instance.ts';
import { createSealSigner, sealPublicKey } from '../../src/adapters/kms/kms-seal-key.ts';
import { newSealerMemory, type SealTrailDeps } from '../../src/core/trail/seal-trail.ts';
import { printedMetrics } from '../../src/lambda/printed-metrics.ts';
import { createLog, type WriteLog } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

export type AuditSealerDeps = Omit<SealTrailDeps, 'deadline'> & {
  /** Created with the first run, which loads the library (tools/assets/bundle.ts). */
  readonly metrics: () => Metrics;
  readonly writeLog: WriteLog;
};

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): AuditSealerDeps {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const kms = kmsClient(aws);
  const log = createLog(print);
  const audit = { ...dynamodb, name: config.AUDIT_TABLE };
  return {
    trail: createTrailReader(audit),
    indexes: createIndexStore({ ...dynamodb, name: config.AUDIT_INDEX_TABLE }, audit),
    memory: newSealerMemory(),
    seals: createSealStore({ ...dynamodb, name: config.AUDIT_SEALS_TABLE }),
    head: createSealHead({ ...dynamodb, name: config.ACCESS_TABLE }),
    signer: createSealSigner(kms, config.SEAL_KEY_ID),
    publicKey: () => sealPublicKey(kms, config.SEAL_KEY_ID),
    onIndexingFailed: log.failure('indexAuditTrail'),
    ...platform,
    metrics: printedMetrics(print, config.SERVICE_NAME, 'audit'),
    writeLog: log.write,
  };
}
