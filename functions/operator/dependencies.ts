import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  dynamoDbClient,
  kmsClient,
  lambdaControlClient,
  sqsClient,
  type LambdaCalls,
} from '../../src/adapters/aws/clients.ts';
import type { Table } from '../../src/adapters/dynamodb/table-client.ts';
import { oldestDue } from '../../src/adapters/dynamodb/due-index.ts';
import { countParked } from '../../src/adapters/dynamodb/due-reactors.ts';
import { createHotAllowanceStore } from '../../src/adapters/dynamodb/hot-allowance-store.ts';
import { createHotPlaceStore, createWaitingReactors } from '../../src/adapters/dynamodb/hot-place-store.ts';
import { createSealHead, createSealReader } from '../../src/adapters/dynamodb/seal-store.ts';
import { createDeploymentKeyStore } from '../../src/adapters/dynamodb/deployment-key-store.ts';
import { createCheckCursor } from '../../src/adapters/dynamodb/check-cursor.ts';
import { createReactorIndex } from '../../src/adapters/dynamodb/reactor-index.ts';
import { createRollStore } from '../../src/adapters/dynamodb/roll-store.ts';
import { createIndexReader, createIndexRequests } from '../../src/adapters/dynamodb/index-store.ts';
import { createTrailSearch } from '../../src/adapters/dynamodb/trail-search.ts';
import { createDataProtection, createTrailProtection } from '../../src/adapters/dynamodb/trail-protection.ts';
import { createTrailReader } from '../../src/adapters/dynamodb/trail-reader.ts';
import { createKmsKeyService } from '../../src/adapters/kms/kms-key-service.ts';
import { sealPublicKey } from '../../src/adapters/kms/kms-seal-key.ts';
import { createLayerFinder } from '../../src/adapters/lambda/layer-finder.ts';
import { createRollQueue } from '../../src/adapters/lambda/roll-queue.ts';
import type { Instance } from '../../src/adapters/instance.ts';
import { createInvocationQueue, queueDepth } from '../../src/adapters/sqs/invocation-queue.ts';
import {
  createProxies,
  createReactorStores,
  createStores,
  createTokenStores,
  createTrail,
} from '../../src/adapters/stores.ts';
import type { ApplicationStore } from '../../src/core/applications/application-store.ts';
import { IMAGES, type Image } from '../../src/core/reactors/layer.ts';
import type { AllowHotDeps } from '../../src/core/reactors/hot-allowances.ts';
import { countCold } from '../../src/core/reactors/keep-hot.ts';
import type { AuditLog } from '../../src/core/audit/audit-log.ts';
import type { Sightings } from '../../src/core/audit/audit-scope.ts';
import type { WalkDeps } from '../../src/core/trail/list-records.ts';
import type { SealHead, SealReader, TrailReader } from '../../src/core/trail/trail-store.ts';
import type { CheckCursor } from '../../src/core/trail/check-latest.ts';
import type { IndexReader, IndexRequests } from '../../src/core/trail/index-store.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import type { ListKeysDeps } from '../../src/core/operator/list-keys.ts';
import type { TenantStore } from '../../src/core/tenants/tenant.ts';
import type { HealthDeps } from '../../src/core/sweep/health.ts';
import type { IndexCardsDeps } from '../../src/core/operator/index-cards.ts';
import type { ReencryptDeps } from '../../src/core/operator/reencrypt-records.ts';
import type { ReplaceRootDeps } from '../../src/core/operator/replace-root.ts';
import type { RotateDataKeyDeps } from '../../src/core/operator/rotate-data-key.ts';
import type { RewrapDeps } from '../../src/core/operator/wrap-roots.ts';
import type { UndeliveredDeps } from '../../src/core/webhooks/undelivered.ts';
import type { ListLayersDeps } from '../../src/core/republish/list-reactors.ts';
import type { StartRollDeps } from '../../src/core/republish/start-roll.ts';
import type { WebhookSecretDeps } from '../../src/core/webhooks/webhook-secrets.ts';
import { auditCheckReports, auditReports, type AuditCheckReports } from '../../src/lambda/audit-metrics.ts';
import { presentLayers, type LayerConfig } from '../../src/lambda/present-layer.ts';
import { createLog } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

export type OperatorDeps = {
  readonly tenantStore: TenantStore;
  readonly auditLog: AuditLog;
  readonly audit: Sightings;
  readonly trailReader: TrailReader;
  readonly indexReader: IndexReader;
  readonly indexRequests: IndexRequests;
  readonly sealReader: SealReader;
  readonly sealHead: Pick<SealHead, 'read'>;
  /** Stores how far the check of the schedule is. */
  readonly checkCursor: CheckCursor;
  /** Finds differences of the trail's tables from the template. */
  readonly trailProtection: () => Promise<readonly string[]>;
  /** Finds differences of the tables with data from the template. */
  readonly dataProtection: () => Promise<readonly string[]>;
  /** The configured key as PEM, or otherwise the current one of KMS. */
  readonly sealPublicKey: (pem: string | undefined) => Promise<KeyObject>;
} & WalkDeps &
  AuditCheckReports &
  ListKeysDeps & { readonly applicationStore: Pick<ApplicationStore, 'findMany'> } & WebhookSecretDeps &
  UndeliveredDeps &
  RotateDataKeyDeps &
  ReplaceRootDeps &
  RewrapDeps &
  ReencryptDeps &
  IndexCardsDeps &
  AllowHotDeps &
  StartRollDeps &
  ListLayersDeps &
  HealthDeps;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The parts that start and show rolls. */
function rollDeps(
  reactors: Table,
  client: LambdaCalls,
  config: LayerConfig & {
    readonly REPUBLISHER: string;
    readonly REACTOR_LAYER_NAMES: Readonly<Record<Image, string>>;
  },
) {
  const reactorIndex = createReactorIndex(reactors);
  const present = presentLayers(config);
  return {
    outdatedReactors: async () => {
      const counts = await Promise.all(IMAGES.map((image) => reactorIndex.countOther(present[image])));
      return counts.reduce((total, count) => total + count, 0);
    },
    reactorIndex,
    presentLayers: present,
    rollStore: createRollStore(reactors),
    rollQueue: createRollQueue(client, config.REPUBLISHER),
    layerFinder: createLayerFinder({ client, platform: reactors.platform }, config.REACTOR_LAYER_NAMES),
  };
}

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): Unaudited<OperatorDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const sqs = sqsClient(aws);
  const kms = kmsClient(aws);
  const dueIn = (name: string) => () => oldestDue({ ...dynamodb, name });
  const reactors = { ...dynamodb, name: config.REACTORS_TABLE };
  const stores = createStores(dynamodb, kms, config);
  const audit = { ...dynamodb, name: config.AUDIT_TABLE };
  const index = { ...dynamodb, name: config.AUDIT_INDEX_TABLE };
  const seals = { ...dynamodb, name: config.AUDIT_SEALS_TABLE };
  return {
    ...stores,
    ...auditCheckReports(print, config.SERVICE_NAME),
    trailReader: createTrailReader(audit),
    ...createTrailSearch(audit, index),
    indexReader: createIndexReader(index),
    indexRequests: createIndexRequests(audit),
    sealReader: createSealReader(seals),
    checkCursor: createCheckCursor({ ...dynamodb, name: config.ACCESS_TABLE }),
    trailProtection: createTrailProtection([
      { ...audit, title: 'Audit', expires: true },
      { ...index, title: 'AuditIndex', expires: true },
      { ...seals, title: 'AuditSeals', expires: false },
    ]),
    dataProtection: createDataProtection(
      [
        { title: 'Tokens', name: config.TOKENS_TABLE, isRecoverable: true },
        { title: 'Access', name: config.ACCESS_TABLE, isRecoverable: true },
        { title: 'Reactors', name: config.REACTORS_TABLE, isRecoverable: true },
        { title: 'Ephemeral', name: config.EPHEMERAL_TABLE, isRecoverable: false },
      ].map((table) => ({ ...dynamodb, ...table, expires: true })),
    ),
    keyService: createKmsKeyService(kms, config.KEY_ID),
    deploymentKeyStore: createDeploymentKeyStore({ ...dynamodb, name: config.ACCESS_TABLE }),
    sealHead: createSealHead({ ...dynamodb, name: config.ACCESS_TABLE }),
    sealPublicKey: async (pem) =>
      pem === undefined ? sealPublicKey(kms, config.SEAL_KEY_ID) : createPublicKey(pem),
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
    // This store does not check clear fields: one token that does not open must not stop a walk.
    tokenStore: createTokenStores(dynamodb, config, stores.vault).storedTokens,
    ...createReactorStores(dynamodb, config),
    ...createProxies(dynamodb, config),
    deliveryQueue: createInvocationQueue(sqs, config.DELIVERIES_QUEUE_URL),
    oldestDue: {
      tokens: dueIn(config.TOKENS_TABLE),
      ephemeral: dueIn(config.EPHEMERAL_TABLE),
      access: dueIn(config.ACCESS_TABLE),
      reactors: dueIn(config.REACTORS_TABLE),
    },
    waiting: {
      invocations: () => queueDepth(sqs, config.INVOCATIONS_QUEUE_URL),
      deliveries: () => queueDepth(sqs, config.DELIVERIES_QUEUE_URL),
    },
    parkedDeliveries: () => countParked(reactors),
    coldReactors: () =>
      countCold({
        hotPlaceStore: createHotPlaceStore(reactors),
        waitingReactors: createWaitingReactors(reactors),
      }),
    hotAllowanceStore: createHotAllowanceStore(reactors),
    hotInstances: config.HOT_INSTANCES,
    ...rollDeps(reactors, lambdaControlClient(aws), config),
    ...platform,
    newId: platform.random.uuid,
    onFailure: createLog(print).failure('operator'),
    keyRotationMs: config.KEY_ROTATION_DAYS * DAY_MS,
  };
}
