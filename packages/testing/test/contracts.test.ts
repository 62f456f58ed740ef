// Runs the contracts of the ports on the adapters of the service, over the clients in memory.
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { createCheckCursor } from '../../../src/adapters/dynamodb/check-cursor.ts';
import { createCredentialStore } from '../../../src/adapters/dynamodb/credential-store.ts';
import { createDeploymentKeyStore } from '../../../src/adapters/dynamodb/deployment-key-store.ts';
import { createIdempotencyStore } from '../../../src/adapters/dynamodb/idempotency-store.ts';
import {
  createIndexPages,
  createIndexReader,
  createIndexStore,
} from '../../../src/adapters/dynamodb/index-store.ts';
import { createInvocationStore } from '../../../src/adapters/dynamodb/invocation-store.ts';
import { createReactorStore } from '../../../src/adapters/dynamodb/reactor-store.ts';
import { createSealHead, createSealStore } from '../../../src/adapters/dynamodb/seal-store.ts';
import { createTenantBasicsStore } from '../../../src/adapters/dynamodb/tenant-basics-store.ts';
import { createTenantStore } from '../../../src/adapters/dynamodb/tenant-store.ts';
import {
  createRecordsAt,
  createTrailPages,
  createTrailReader,
} from '../../../src/adapters/dynamodb/trail-reader.ts';
import { createTrailWriter } from '../../../src/adapters/dynamodb/trail-writer.ts';
import { createKmsKeyService } from '../../../src/adapters/kms/kms-key-service.ts';
import { createReactorFunctions } from '../../../src/adapters/lambda/reactor-functions.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { applicationReadsContract } from '../../../test/contracts/application-reads-contract.ts';
import { checkCursorContract } from '../../../test/contracts/check-cursor-contract.ts';
import { deploymentKeyStoreContract } from '../../../test/contracts/deployment-key-store-contract.ts';
import { idempotencyStoreContract } from '../../../test/contracts/idempotency-store-contract.ts';
import { indexStoreContract } from '../../../test/contracts/index-store-contract.ts';
import { invocationStoreContract } from '../../../test/contracts/invocation-store-contract.ts';
import { keyServiceContract } from '../../../test/contracts/key-service-contract.ts';
import { LAYERS } from '../../../test/support/fakes/reactor-functions.ts';
import { reactorFunctionsContract } from '../../../test/contracts/reactor-functions-contract.ts';
import { reactorStoreContract } from '../../../test/contracts/reactor-store-contract.ts';
import { sealHeadContract, sealStoreContract } from '../../../test/contracts/seal-store-contract.ts';
import { tenantStoreContract } from '../../../test/contracts/tenant-store-contract.ts';
import { tokenStoreContract } from '../../../test/contracts/token-store-contract.ts';
import { trailReaderContract } from '../../../test/contracts/trail-reader-contract.ts';
import { tablesInMemory, tokenStoreOver } from '../../../test/support/stores-in-memory.ts';
import { MemoryKms } from '../src/aws/memory-kms.ts';
import { MemoryLambda } from '../src/aws/memory-lambda.ts';
import { perImage } from '../../../src/lambda/layer-environment.ts';
import { ENVIRONMENT } from '../src/functions.ts';

const always =
  <T>(made: T) =>
  () =>
    made;

/** The classes of the clients have more members than the adapters call. */
const asClient = (memory: { readonly send: (command: never) => Promise<unknown> }) => memory as never;

const aTable = (name: string) => tablesInMemory().table(name);
const shared = tablesInMemory();
const access = shared.table('Access');

tokenStoreContract('in memory, by its adapter', always(tokenStoreOver(shared)));
idempotencyStoreContract(
  'in memory, by its adapter',
  always(createIdempotencyStore(shared.table('Ephemeral'))),
);
invocationStoreContract(
  'in memory, by its adapter',
  always(createInvocationStore(shared.table('Reactors'), shared.table('Ephemeral'))),
);
reactorStoreContract('in memory, by its adapter', always(createReactorStore(shared.table('Reactors'))));
tenantStoreContract(
  'in memory, by its adapter',
  always({ ...createTenantStore(access), ...createTenantBasicsStore(access) }),
);
applicationReadsContract('in memory, by its adapter', () => {
  const store = createApplicationStore(access);
  return {
    reads: { ...store, ...createCredentialStore(access) },
    put: (application) => store.create(application),
  };
});
deploymentKeyStoreContract('in memory, by its adapter', () => createDeploymentKeyStore(aTable('Access')));

trailReaderContract('in memory, by its adapter', () => {
  const table = aTable('Audit');
  const writer = createTrailWriter(table);
  return {
    reader: createTrailReader(table),
    pages: createTrailPages(table),
    recordsAt: createRecordsAt(table),
    mark: (mark) => writer.mark(mark),
    write: (record) => writer.write(record, { referred: [] }),
  };
});
sealStoreContract('in memory, by its adapter', () => createSealStore(aTable('AuditSeals')));
sealHeadContract('in memory, by its adapter', () => createSealHead(aTable('Access')));
checkCursorContract('in memory, by its adapter', () => createCheckCursor(aTable('Access')));
indexStoreContract('in memory, by its adapter', () => {
  const index = shared.table('AuditIndex');
  const audit = shared.table('Audit');
  return {
    store: createIndexStore(index, audit),
    reader: createIndexReader(index),
    pages: createIndexPages(index),
  };
});

keyServiceContract(
  'in memory, by its adapter',
  always(createKmsKeyService(asClient(new MemoryKms()), 'key')),
);
const ARNS = perImage.parse(ENVIRONMENT['REACTOR_LAYERS']);
reactorFunctionsContract(
  'in memory, by its adapter',
  always(
    createReactorFunctions(
      {
        client: asClient(new MemoryLambda(() => Promise.reject(new Error('nothing runs here')))),
        platform: machinePlatform,
      },
      {
        namePrefix: 'Cloakroom-reactor-',
        roleArn: ENVIRONMENT['REACTOR_ROLE'] ?? '',
        layers: {
          node16: { ...LAYERS.node16, arn: ARNS.node16 },
          node24: { ...LAYERS.node24, arn: ARNS.node24 },
        },
        architecture: 'arm64',
        codeKeyArn: 'key',
        tags: {},
      },
    ),
  ),
);
