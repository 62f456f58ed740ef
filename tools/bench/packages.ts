// `npm run bench -- packages`: the cost of middy and the document client (docs/decisions/0021) for
// the size and load of a bundle and the processor time of a call, next to the same without them.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import middy from '@middy/core';
import { buildSync } from 'esbuild';
import { BUNDLE_OPTIONS } from '../assets/bundle.ts';
import { measureColdStarts } from './cold-start/measure-cold-start.ts';
import { median } from './median.ts';
import { report } from './section.ts';

const STARTS = 25;
const ROUNDS = 15;
const MIDDLEWARES = 4;

const CLIENTS = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
const kms = new KMSClient({});`;
const PLAIN = `const dynamodb = new DynamoDBClient({});`;
const DOCUMENT = `import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient({}));`;
const HANDLER = `export const handler = () => [dynamodb, kms];`;
const MIDDY = `import middy from '@middy/core';
export const handler = middy().use({ after: () => undefined }).handler(() => [dynamodb, kms]);`;

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-packages-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Builds a bundle in the same way as that of a function. */
function bundle(name: string, ...parts: readonly string[]) {
  const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.cjs`);
  const { absWorkingDir: resolveDir } = BUNDLE_OPTIONS;
  buildSync({
    ...BUNDLE_OPTIONS,
    alias: {},
    stdin: { contents: parts.join('\n'), resolveDir },
    outfile: file,
  });
  return { name, file, env: { AWS_REGION: 'us-east-1' } };
}

/** Microseconds of processor time that one call takes, over many. */
async function microsecondsOf(call: () => Promise<unknown>, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 0; count < calls; count += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** Both in turn, the first round to warm up. */
async function compared(
  name: string,
  calls: number,
  own: () => Promise<unknown>,
  plain: () => Promise<unknown>,
) {
  const rounds: (readonly [own: number, plain: number])[] = [];
  for (let round = 0; round <= ROUNDS; round += 1)
    rounds.push([await microsecondsOf(own, calls), await microsecondsOf(plain, calls)]);
  const [ownMedian, plainMedian] = [0, 1].map((side) =>
    median(rounds.slice(1).map((both) => both[side] ?? NaN)),
  );
  const difference = (ownMedian ?? NaN) - (plainMedian ?? NaN);
  return [name, ...[ownMedian, plainMedian, difference].map((value) => (value ?? NaN).toFixed(2))];
}

const bundles = [
  bundle('clients', CLIENTS, PLAIN, HANDLER),
  bundle('clients, document client', CLIENTS, DOCUMENT, HANDLER),
  bundle('clients, document client, middy', CLIENTS, DOCUMENT, MIDDY),
];
const startOf = await measureColdStarts(bundles, STARTS);
const first = statSync(bundles[0]?.file ?? '').size;
const sizes = bundles.map(({ name, file }) => {
  const { size } = statSync(file);
  const { milliseconds, processorMilliseconds } = startOf(name);
  const kilobytes = (bytes: number) => (bytes / 1024).toFixed(1);
  return [
    name,
    kilobytes(size),
    kilobytes(size - first),
    milliseconds.toFixed(1),
    processorMilliseconds.toFixed(1),
  ];
});

const reply = { statusCode: 200 };
const handler = () => Promise.resolve(reply);
const nothing = { before: () => undefined, after: () => undefined };
const wrapped = middy({ timeoutEarlyInMillis: 0 })
  .use(Array.from({ length: MIDDLEWARES }, () => nothing))
  .handler(handler);

const item = {
  pk: 'tenant#id',
  sk: 'token',
  encryptedData: Buffer.alloc(200),
  version: 1,
  containers: ['/pci/high/'],
};
/** Responds to every call immediately with an item, which leaves only the work of the client. */
const settings = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
};
const found = { $metadata: {}, Item: marshall(item) };
const client = new DynamoDBClient(settings);
client.middlewareStack.add(() => () => Promise.resolve({ response: {}, output: found }), { step: 'build' });
const documents = DynamoDBDocumentClient.from(client);
const key = { pk: 'tenant#id', sk: 'token' };

report({
  budgets: [],
  figures: [
    {
      title: 'Bundles',
      columns: ['bundle', 'KB', 'KB more', 'start, ms', 'start, CPU ms'],
      rows: sizes,
      note: `Medians of ${String(STARTS)} fresh processes each, in turn.`,
    },
    {
      title: 'Processor time of a call, in microseconds',
      columns: ['call', 'with', 'without', 'difference'],
      rows: [
        await compared(`middy, ${String(MIDDLEWARES)} middlewares`, 100_000, () => wrapped({}, {}), handler),
        await compared(
          'document client, GetItem without the network',
          5_000,
          () => documents.send(new GetCommand({ TableName: 't', Key: key })),
          async () => {
            const { Item } = await client.send(new GetItemCommand({ TableName: 't', Key: marshall(key) }));
            return unmarshall(Item ?? {});
          },
        ),
      ],
      note: `Medians of ${String(ROUNDS)} rounds, in turn.`,
    },
  ],
});
