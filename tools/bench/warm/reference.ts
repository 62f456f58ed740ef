// One handler per operation, by hand: the same calls of the SDK and the same encryption, and
// nothing else. `BENCH_OPERATION` names the operation; with `BENCH_RECORD` it writes audit records
// too.
import { createHash, createHmac, createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent, request } from 'node:https';
import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type AttributeValue,
} from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { dynamoDbClient, kmsClient } from '../../../src/adapters/aws/clients.ts';
import { createStores } from '../../../src/adapters/stores.ts';
import { ENCRYPTION_OVERHEAD_BYTES } from '../../../src/core/crypto/record-encryption.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import {
  clearContext,
  encryptionContext,
  type EncryptedToken,
} from '../../../src/core/tokens/encryption-context.ts';
import { matchHashIn } from '../../../src/adapters/dynamodb/keys.ts';
import type { TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import { machineInstance } from '../../../src/adapters/instance.ts';

type Item = Record<string, AttributeValue>;

/** The attributes of the items that it reads. */
interface Plain extends Encrypted {
  readonly id: string;
  readonly encryptedData: Uint8Array;
  readonly listSk: string;
  readonly codeHash: string;
  readonly encryptedConfiguration: Uint8Array;
}

/** A type, not an interface: it is JSON. */
type Card = { readonly number: string };

interface Body {
  readonly type: TokenTypeName;
  readonly data: Card;
  readonly args: object;
}

const plain = (item: Item) => unmarshall(item) as unknown as Plain;
type Handle = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;

const env = (name: string): string => process.env[name] ?? '';
const client = new DynamoDBClient({ maxAttempts: 3 });
// A dead connection would run the customer's code twice, so each run has a connection of its own.
const alone = { keepAlive: false };
const lambda = new LambdaClient({
  maxAttempts: 1,
  requestHandler: new NodeHttpHandler({ httpAgent: new HttpAgent(alone), httpsAgent: new Agent(alone) }),
});
const { aws, platform } = machineInstance();
const { vault } = createStores({ client: dynamoDbClient(aws), platform }, kmsClient(aws), {
  ACCESS_TABLE: env('ACCESS_TABLE'),
  EPHEMERAL_TABLE: env('EPHEMERAL_TABLE'),
  KEY_ID: env('KEY_ID'),
});
const tenantId = env('BENCH_TENANT');
const SHARDS = 8;

const key = (pk: string, sk: string): Item => marshall({ pk, sk });
const tokenKey = (id: string) => key(`${tenantId}#${id}`, 'token');
const credentialKey = (event: APIGatewayProxyEventV2) => {
  const hash = createHash('sha256')
    .update(event.headers['svc-api-key'] ?? '')
    .digest('base64url');
  // The key has copies, and this is one of them.
  return key(`key#${hash}#0`, 'key');
};

async function get(table: string, itemKey: Item): Promise<Plain> {
  const command = new GetItemCommand({ TableName: table, Key: itemKey, ConsistentRead: true });
  const { Item: item } = await client.send(command);
  if (item === undefined) throw new Error('not found');
  return plain(item);
}

async function getMany(table: string, keys: readonly Item[]): Promise<readonly Plain[]> {
  const command = new BatchGetItemCommand({
    RequestItems: { [table]: { Keys: [...keys], ConsistentRead: true } },
  });
  const { Responses: found } = await client.send(command);
  return (found?.[table] ?? []).map(plain);
}

type Encrypted = Omit<EncryptedToken, 'tenantId' | 'id' | 'matchHash'> & {
  readonly pk: string;
  readonly matchSk: string;
};
const idOf = (item: Pick<Plain, 'pk'>) => item.pk.slice(tenantId.length + 1);
const tokenOf = (item: Encrypted): EncryptedToken => ({
  ...item,
  tenantId,
  id: idOf(item),
  matchHash: matchHashIn(item.matchSk),
  writeId: Buffer.from(item.writeId),
  ...(item.createWriteId !== undefined && { createWriteId: Buffer.from(item.createWriteId) }),
});
/** Must equal the additional data that the service uses. */
const context = (item: Encrypted) => encryptionContext(tokenOf(item), 'data');
/** The encrypted attributes of an item that the service can read. Reads by hand check no MAC. */
async function encrypted(item: Encrypted, data: Card) {
  const encryptedData = await vault.encrypt(context(item), new Secret(data));
  const dataBytes = encryptedData.length - ENCRYPTION_OVERHEAD_BYTES;
  const clear = clearContext(tokenOf(item), { dataBytes, detailsBytes: undefined });
  return { encryptedData, dataBytes, clearMac: await vault.mac(clear) };
}
const open = async (item: Plain) =>
  (await vault.decrypt(context(item), Buffer.from(item.encryptedData))).reveal() as unknown as Card;

const masked = (number: string) => 'X'.repeat(number.length - 4) + number.slice(-4);
const view = (item: Omit<Plain, 'id' | 'codeHash' | 'encryptedConfiguration'>, data: Card) => ({
  id: idOf(item),
  tenant_id: tenantId,
  type: item.type,
  data: { ...data, number: masked(data.number) },
  containers: item.containers,
  fingerprint: item.fingerprint,
  created_by: item.createdBy,
  created_at: new Date(item.createdAt).toISOString(),
});

const reply = (status: number, body: unknown): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const bodyOf = (event: APIGatewayProxyEventV2): unknown => JSON.parse(event.body ?? 'null');
const put = async (item: Record<string, unknown>) => {
  const command = new PutItemCommand({
    TableName: env('TOKENS_TABLE'),
    Item: marshall(item, { removeUndefinedValues: true }),
    ConditionExpression: 'attribute_not_exists(pk) OR version = :version',
    ExpressionAttributeValues: marshall({ ':version': Number(item.version) - 1 }),
  });
  await client.send(command);
};

const RECORD_KEY = createSecretKey(randomBytes(32));
const RETENTION_SECONDS = 400 * 24 * 60 * 60;
let last = '07:0mi0000000000000000000';

/** Members that a record has of a request beside its tokens. */
interface Recorded {
  readonly op: string;
  readonly outcome: 'begun' | 'ok';
  readonly status?: number;
  readonly host?: string;
}

/**
 * Inserts an audit record as large as the service's: one item, with a MAC, some 190 bytes of JSON,
 * and 16 bytes for each token.
 */
async function record(
  event: APIGatewayProxyEventV2,
  ids: readonly string[],
  recorded: Recorded,
): Promise<void> {
  if (env('BENCH_RECORD') === '') return;
  const now = Date.now();
  const pk = `by-hand#${tenantId}#07`;
  const sk = now.toString(36).padStart(9, '0') + randomBytes(9).toString('base64url');
  const { sourceIp } = event.requestContext.http;
  const trace = event.headers['x-amzn-trace-id'];
  const body = JSON.stringify({ v: 1, key: 1, after: last, app: tenantId, ip: sourceIp, trace, ...recorded });
  const ttl = String(Math.floor(now / 1000) + RETENTION_SECONDS);
  const packed = Buffer.from(ids.join('').replaceAll('-', ''), 'hex');
  const mac = createHmac('sha256', RECORD_KEY)
    .update(JSON.stringify([pk, sk, ttl, body]))
    .update(packed)
    .digest();
  const values = [{ S: pk }, { S: sk }, { N: ttl }, { B: mac }, { S: body }, { B: packed }];
  const Statement = `INSERT INTO "${env('AUDIT_TABLE')}" VALUE {'pk': ?, 'sk': ?, 'ttl': ?, 'mac': ?, 'body': ?, 'ids': ?}`;
  const command = new BatchExecuteStatementCommand({ Statements: [{ Statement, Parameters: values }] });
  const { Responses: [response] = [] } = await client.send(command);
  if (response === undefined || response.Error !== undefined) throw new Error('not recorded');
  last = `07:${sk}`;
}

const EXPRESSION = /\{\{ ([0-9a-f-]{36})[^}]*\}\}/g;

/** Entries that a query of a shard asks for: those that it is expected to have, and some more. */
const entriesOf = (count: number) => Math.ceil(count / SHARDS) + 3;

interface Shard {
  readonly entries: readonly Plain[];
  readonly next: Item | undefined;
}

async function moreOf(shard: number, { entries, next }: Shard, limit: number): Promise<Shard> {
  const { Items: items = [], LastEvaluatedKey: last } = await client.send(
    new QueryCommand({
      TableName: env('TOKENS_TABLE'),
      IndexName: 'list',
      KeyConditionExpression: 'listPk = :p',
      ExpressionAttributeValues: marshall({ ':p': `${tenantId}#${String(shard)}` }),
      ScanIndexForward: false,
      Limit: limit,
      ...(next !== undefined && { ExclusiveStartKey: next }),
    }),
  );
  return { entries: [...entries, ...items.map(plain)], next: last };
}

/** The newest entries of the list. A shard is asked again only if a page may lack entries of it. */
async function newestOf(count: number): Promise<readonly Plain[]> {
  const none: Shard = { entries: [], next: undefined };
  const limit = entriesOf(count);
  let shards = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => moreOf(shard, none, limit)));
  for (;;) {
    const newest = shards
      .flatMap(({ entries }) => entries)
      .sort((a, b) => (a.listSk < b.listSk ? 1 : -1))
      .slice(0, count);
    const last = newest.at(-1)?.listSk ?? '';
    const mayLack = ({ entries, next }: Shard) =>
      next !== undefined && (newest.length < count || (entries.at(-1)?.listSk ?? '') > last);
    if (!shards.some(mayLack)) return newest;
    shards = await Promise.all(
      shards.map(async (each, shard) => (mayLack(each) ? moreOf(shard, each, limit) : each)),
    );
  }
}

const HANDLERS: Readonly<Record<string, Handle>> = {
  async get(event) {
    const [, item] = await Promise.all([
      get(env('ACCESS_TABLE'), credentialKey(event)),
      get(env('TOKENS_TABLE'), tokenKey(event.pathParameters?.['id'] ?? '')),
    ]);
    const body = view(item, await open(item));
    await record(event, [idOf(item)], { op: 'getToken', outcome: 'ok', status: 200 });
    return reply(200, body);
  },

  async create(event) {
    await getMany(env('ACCESS_TABLE'), [credentialKey(event), key(tenantId, 'tenant')]);
    const { type, data } = bodyOf(event) as Body;
    const id = randomUUID();
    const fingerprint = createHmac('sha256', env('KEY_ID')).update(data.number).digest('base64url');
    const token: Encrypted = {
      pk: `${tenantId}#${id}`,
      type,
      containers: ['/pci/high/'],
      createdBy: tenantId,
      version: 1,
      isSolelyOwn: true,
      isShared: false,
      hasMask: true,
      terms: [],
      fingerprint,
      matchSk: `${fingerprint}#~#${id}`,
      derivedSince: 1,
      termsSince: 1,
      position: `${String(Date.now())}#${id}`,
      createdAt: Date.now(),
      writeId: createHash('sha256').update(id).digest().subarray(0, 16),
    };
    const item = {
      ...token,
      sk: 'token',
      holdsLock: false,
      listPk: `${tenantId}#0`,
      listSk: token.position,
      ...(await encrypted(token, data)),
    };
    await record(event, [id], { op: 'createToken', outcome: 'begun' });
    await put(item);
    return reply(201, view(item, data));
  },

  async list(event) {
    const access = get(env('ACCESS_TABLE'), credentialKey(event));
    await access;
    const newest = await newestOf(20);
    const items = await getMany(
      env('TOKENS_TABLE'),
      newest.map((item) => tokenKey(idOf(item))),
    );
    const data = await Promise.all(items.map(async (item) => view(item, await open(item))));
    await record(event, items.map(idOf), { op: 'listTokens', outcome: 'ok', status: 200 });
    return reply(200, { pagination: { page_size: 20, after: newest.at(-1)?.listSk }, data });
  },

  async patch(event) {
    const [, item] = await Promise.all([
      get(env('ACCESS_TABLE'), credentialKey(event)),
      get(env('TOKENS_TABLE'), tokenKey(event.pathParameters?.['id'] ?? '')),
    ]);
    const data = { ...(await open(item)), ...(bodyOf(event) as Body).data };
    const fingerprint = createHmac('sha256', env('KEY_ID')).update(data.number).digest('base64url');
    const changed = { ...item, fingerprint, version: item.version + 1, modifiedAt: Date.now() };
    const next = { ...changed, ...(await encrypted(changed, data)) };
    await record(event, [idOf(item)], { op: 'updateToken', outcome: 'begun' });
    await put(next);
    return reply(200, view(next, data));
  },

  async detokenize(event) {
    await get(env('ACCESS_TABLE'), credentialKey(event));
    const texts = bodyOf(event) as string[];
    const ids = texts.map((text) => [...text.matchAll(EXPRESSION)][0]?.[1] ?? '');
    const items = await getMany(env('TOKENS_TABLE'), ids.map(tokenKey));
    const values = await Promise.all(
      items.map(async (item) => [idOf(item), view(item, await open(item)).data] as const),
    );
    const found = new Map(values);
    await record(event, ids, { op: 'detokenize', outcome: 'ok', status: 200 });
    return reply(
      200,
      ids.map((id) => found.get(id)),
    );
  },

  async proxy(event) {
    await get(env('ACCESS_TABLE'), credentialKey(event));
    const body = event.body ?? '';
    JSON.parse(body);
    const ids = [...body.matchAll(EXPRESSION)].map(([, id = '']) => id);
    const items = await getMany(env('TOKENS_TABLE'), ids.map(tokenKey));
    const numbers = new Map<string, string>();
    for (const item of items) numbers.set(idOf(item), (await open(item)).number);
    const inString = (value: string) => JSON.stringify(value).slice(1, -1);
    const text = body.replaceAll(EXPRESSION, (_, id: string) => inString(numbers.get(id) ?? ''));
    const url = event.headers['svc-proxy-url'] ?? '';
    const { host } = new URL(url);
    await record(event, ids, { op: 'proxy', outcome: 'begun', host });
    const proxied = await new Promise<APIGatewayProxyStructuredResultV2>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const outgoing = request(url, { method: 'POST', headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const answered = Buffer.concat(chunks).toString('utf8');
          resolve({
            statusCode: response.statusCode ?? 0,
            headers: { 'content-type': 'application/json' },
            body: answered,
          });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });
    await record(event, [], { op: 'proxy', outcome: 'ok', status: 200, host });
    return proxied;
  },

  async react(event) {
    await getMany(env('ACCESS_TABLE'), [credentialKey(event), key(tenantId, 'tenant')]);
    const reactor = await get(
      env('REACTORS_TABLE'),
      key(tenantId, `reactor#${event.pathParameters?.['id'] ?? ''}`),
    );
    const { args } = bodyOf(event) as Body;
    const ids = [...JSON.stringify(args).matchAll(EXPRESSION)].map(([, id = '']) => id);
    const [item] = await getMany(env('TOKENS_TABLE'), ids.map(tokenKey));
    const card = item === undefined ? {} : await open(item);
    const configuration = await vault.decrypt(
      { tenantId, recordId: reactor.id, field: 'reactor-configuration' },
      Buffer.from(reactor.encryptedConfiguration),
    );
    const command = new InvokeCommand({
      FunctionName: `${env('REACTOR_FUNCTION_PREFIX')}${reactor.id.replaceAll('-', '')}`,
      Qualifier: 'live',
      Payload: Buffer.from(
        JSON.stringify({
          version: 1,
          code_sha256: reactor.codeHash,
          request: { args: { ...args, card }, configuration: configuration.reveal() },
          client: null,
          timeout_ms: 28_000,
        }),
      ),
    });
    await record(event, ids, { op: 'react', outcome: 'begun' });
    const { Payload: payload } = await lambda.send(command);
    const { value } = JSON.parse(Buffer.from(payload ?? new Uint8Array()).toString('utf8')) as {
      value: { raw: unknown };
    };
    await record(event, [], { op: 'react', outcome: 'ok', status: 200 });
    return reply(200, { raw: value.raw });
  },
};

export const handler: Handle = async (event) => {
  const handle = HANDLERS[env('BENCH_OPERATION')];
  if (handle === undefined) throw new Error(`no operation ${env('BENCH_OPERATION')}`);
  return handle(event);
};
