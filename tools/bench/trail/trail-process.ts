// Seals, checks and searches a trail on request of its parent, like instances of the functions: a
// separate process, since processor time is of all threads.
import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto';
import { inspect } from 'node:util';
import { dynamoDbClient } from '../../../src/adapters/aws/clients.ts';
import { createCheckCursor } from '../../../src/adapters/dynamodb/check-cursor.ts';
import { createIndexReader, createIndexStore } from '../../../src/adapters/dynamodb/index-store.ts';
import { createSealHead, createSealStore } from '../../../src/adapters/dynamodb/seal-store.ts';
import { createTrailReader } from '../../../src/adapters/dynamodb/trail-reader.ts';
import { createTrailSearch } from '../../../src/adapters/dynamodb/trail-search.ts';
import { checkLatest } from '../../../src/core/trail/check-latest.ts';
import { newSealerMemory, sealTrail } from '../../../src/core/trail/seal-trail.ts';
import { whoSawStep } from '../../../src/core/trail/who-saw.ts';
import { aSealSigner } from '../../../test/support/fakes/a-seal-signer.ts';
import { machineInstance } from '../../../src/adapters/instance.ts';

/** Times are in ms since the epoch. */
export type Task =
  | { readonly kind: 'seal' | 'check'; readonly now: number }
  | { readonly kind: 'search'; readonly now: number; readonly trail: string; readonly tokenId: string };

/** The work that it has done. */
export interface Done {
  /** Records that were sealed, verified or found. */
  readonly records: number;
  readonly failures: number;
  readonly elapsedMs: number;
  readonly cpuMs: number;
  /** The most memory that the process has had since its start, in bytes. */
  readonly peakBytes: number;
}

/** How long a run of the sealer or the check takes at most. */
const RUN_MS = 270_000;

const [sealKey = '', auditKey = ''] = process.argv.slice(2);
const { aws, platform } = machineInstance();
const client = dynamoDbClient(aws);
const table = (name: string) => ({ client, platform, name });
const audit = table('Audit');
const index = table('AuditIndex');
const privateKey = createPrivateKey(sealKey);
const key = createSecretKey(Buffer.from(auditKey, 'base64'));

const clockFrom = (now: number) => {
  const started = performance.now();
  return () => now + Math.floor(performance.now() - started);
};

const shared = {
  trail: createTrailReader(audit),
  seals: createSealStore(table('AuditSeals')),
  head: createSealHead(table('Access')),
};
const memory = newSealerMemory();

async function work(task: Task): Promise<Pick<Done, 'records' | 'failures'>> {
  const clock = clockFrom(task.now);
  if (task.kind === 'seal') {
    const { records, broken } = await sealTrail({
      ...shared,
      memory,
      clock,
      deadline: task.now + RUN_MS,
      signer: aSealSigner(privateKey),
      publicKey: () => Promise.resolve(createPublicKey(privateKey)),
      indexes: createIndexStore(index, audit),
      onIndexingFailed: (error) => {
        throw error;
      },
    });
    return { records, failures: broken === undefined ? 0 : 1 };
  }
  const search = { ...createTrailSearch(audit, index), clock };
  if (task.kind !== 'search') {
    const { records, failures, failed } = await checkLatest(
      {
        ...shared,
        clock,
        publicKey: createPublicKey(privateKey),
        index: createIndexReader(index),
        referred: search.referredIds,
        keysOf: () => Promise.resolve(new Map([[1, key]])),
        cursor: createCheckCursor(table('Access')),
      },
      task.now + RUN_MS,
    );
    if (failed !== undefined) throw failed.error;
    return { records, failures };
  }
  let records = 0;
  let before: string | undefined;
  do {
    const step = await whoSawStep(search, task.trail, { tokenId: task.tokenId, withoutIndex: false }, before);
    records += step.views.length;
    before = step.next;
  } while (before !== undefined);
  return { records, failures: 0 };
}

async function run(task: Task): Promise<Done> {
  const started = performance.now();
  const before = process.cpuUsage();
  const done = await work(task);
  const { user, system } = process.cpuUsage(before);
  const elapsedMs = performance.now() - started;
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { ...done, elapsedMs, cpuMs: (user + system) / 1000, peakBytes };
}

process.on('message', (task: Task) => {
  run(task).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ error: inspect(error) }),
  );
});
process.send?.('ready');
