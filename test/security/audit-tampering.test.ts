// The attacker has an administrator's rights on the tables of the audit trail. Each row changes one
// thing, runs verify-audit, and undoes the change, so that the rows are independent.
import { createHash, randomBytes } from 'node:crypto';
import {
  DeleteItemCommand,
  DeleteResourcePolicyCommand,
  DescribeTableCommand,
  ExecuteStatementCommand,
  GetResourcePolicyCommand,
  paginateScan,
  PutItemCommand,
  PutResourcePolicyCommand,
  UpdateItemCommand,
  UpdateTableCommand,
  type AttributeValue,
} from '@aws-sdk/client-dynamodb';
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';
import { verifyExport } from '../../bin/operator/verify-export.ts';
import { httpClient, type Body } from '../support/http-client.ts';
import { revealing } from '../support/sample-requests.ts';
import { serviceHere, type ServiceHere } from '../support/service-here.ts';

type Item = Record<string, AttributeValue>;

interface Table {
  readonly name: string;
  readonly arn: string;
  readonly policy: string;
}

let service: ServiceHere;
let tenantId: string;
let trail: Table;
let seals: Table;
let access: string;
let publicKey: string;

const dynamodb = () => service.dynamodb;
const operator = (command: object): Promise<Body> => service.operator(command);

async function itemsOf(name: string): Promise<Item[]> {
  const items: Item[] = [];
  const input = { TableName: name, ConsistentRead: true };
  for await (const page of paginateScan({ client: dynamodb() }, input))
    items.push(...((page.Items ?? []) as Item[]));
  return items;
}

/** All steps of a check, as the command line runs them. */
async function verified(more: object = {}): Promise<Body> {
  let from: object = {};
  for (;;) {
    const response = await operator({ command: 'verify-audit', public_key: publicKey, ...more, ...from });
    if (response.errorMessage !== undefined) throw new Error(String(response.errorMessage));
    if (response.next === null) return response;
    from = response.next as object;
  }
}

async function tableOf(part: string): Promise<Table> {
  const name = `Cloakroom-${part}`;
  const { Table: described } = await dynamodb().send(new DescribeTableCommand({ TableName: name }));
  const arn = described?.TableArn ?? '';
  const found = await dynamodb()
    .send(new GetResourcePolicyCommand({ ResourceArn: arn }))
    .catch(() => undefined);
  return { name, arn, policy: found?.Policy ?? '' };
}

/** Only an insider who first removes the table's policy can make these changes. */
async function asInsider<T>({ arn, policy }: Table, act: () => Promise<T>): Promise<T> {
  await dynamodb().send(new DeleteResourcePolicyCommand({ ResourceArn: arn }));
  try {
    return await act();
  } finally {
    await dynamodb().send(new PutResourcePolicyCommand({ ResourceArn: arn, Policy: policy }));
  }
}

const put = (table: string, Item: Item) => dynamodb().send(new PutItemCommand({ TableName: table, Item }));
const keyOf = ({ pk, sk }: Item) => ({ pk, sk }) as Item;
const remove = (table: string, item: Item) =>
  dynamodb().send(new DeleteItemCommand({ TableName: table, Key: keyOf(item) }));

/** Makes a change, verifies, and undoes the change. */
async function after(table: Table, tamper: () => Promise<readonly Item[]>, more: object = {}): Promise<Body> {
  const before = await itemsOf(table.name);
  const added = await asInsider(table, tamper);
  const response = await verified(more);
  await asInsider(table, async () => {
    for (const item of added) await remove(table.name, item);
    const left = new Set((await itemsOf(table.name)).map((item) => JSON.stringify(item)));
    for (const item of before) if (!left.has(JSON.stringify(item))) await put(table.name, item);
  });
  return response;
}

const isRecordOf = (of: string) => (item: Item) => item['pk']?.S?.startsWith(`${of}#log#`) === true;
const bodyOf = (item: Item) => JSON.parse(item['body']?.S ?? '{}');
/**
 * Follows the definition of docs/audit.md: SHA-256 over body and signature, each after its length.
 */
function hashOfItem(item: Item): Buffer {
  const parts = [Buffer.from(item['body']?.S ?? ''), Buffer.from(item['signature']?.B ?? [])];
  const hash = createHash('sha256');
  for (const part of parts) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    hash.update(length).update(part);
  }
  return hash.digest();
}

const byPosition = (a: Item, b: Item) => ((a['sk']?.S ?? '') < (b['sk']?.S ?? '') ? -1 : 1);

/** The oldest seal is the first. */
const sealItems = async () =>
  (await itemsOf(seals.name)).filter(({ pk }) => pk?.S === 'seal').sort(byPosition);

/** Sealed records of a trail, oldest first. */
const recordsOf = async (of: string) => (await itemsOf(trail.name)).filter(isRecordOf(of)).sort(byPosition);

async function traffic(): Promise<void> {
  const { base_url: baseUrl, management_key: managementKey } = service.credentials;
  const management = httpClient(baseUrl, managementKey);
  const { body: application } = await management.post('/applications', {
    name: 'test',
    type: 'private',
    rules: [revealing()],
  });
  const client = httpClient(baseUrl, application.key);
  const { body: token } = await client.post('/tokens', { type: 'token', data: 'a secret' });
  await Promise.all(Array.from({ length: 6 }, () => client.get(`/tokens/${String(token.id)}`)));
  await client.get('/tokens/11111111-1111-4111-8111-111111111111');
  await httpClient(baseUrl, 'key_private_unknown').get('/tokens');
  await management.get('/logs');
}

/** Moves the clock, and seals what the settled minutes before it contain. */
async function sealAfter(seconds: number): Promise<void> {
  service.advance(seconds);
  await service.invoke('audit-sealer', {});
}

beforeAll(async () => {
  service = await serviceHere();
  tenantId = service.credentials.tenant_id;
  trail = await tableOf('Audit');
  seals = await tableOf('AuditSeals');
  access = (await tableOf('Access')).name;
  ({ public_key: publicKey } = await operator({ command: 'audit-key' }));
  await operator({ command: 'create-tenant', name: 'another' });
  // Each of the three intervals has records.
  for (let interval = 0; interval < 3; interval += 1) {
    await traffic();
    await sealAfter(61);
  }
  await sealAfter(180);
});

afterAll(async () => {
  await service.close();
});

/** The records that the tenant has in the middle interval. */
async function middle(): Promise<readonly Item[]> {
  const records = await recordsOf(tenantId);
  return records.slice(Math.floor(records.length / 3), Math.floor((2 * records.length) / 3));
}

const expectBroken = (response: Body, what: RegExp) => {
  expect(response.intact).toBe(false);
  expect(response.failures).toBe(response.broken.length);
  expect((response.broken as Body[]).map((each) => each['what'] as string).join('\n')).toMatch(what);
};

it('reports no problem for an unchanged trail', async () => {
  const { intact, records, seals: count } = await verified({ index: true });
  expect(intact).toBe(true);
  expect(records).toBeGreaterThan(30);
  expect(count).toBeGreaterThan(3);
});

describe('the tables', () => {
  it.each(['trail', 'seals'] as const)(
    '%s rejects every write except an insert, also by administrators',
    async (which) => {
      const table = which === 'trail' ? trail : seals;
      const [item = {}] = await itemsOf(table.name);
      const denied = /explicit deny in a resource-based policy/;
      await expect(put(table.name, item)).rejects.toThrow(denied);
      await expect(remove(table.name, item)).rejects.toThrow(denied);
      const update = new UpdateItemCommand({
        TableName: table.name,
        Key: keyOf(item),
        UpdateExpression: 'SET body = :body',
        ExpressionAttributeValues: { ':body': { S: '' } },
      });
      await expect(dynamodb().send(update)).rejects.toThrow(denied);
    },
  );
});

describe('a sealed record', () => {
  it.each<[string, (item: Item) => Item, RegExp]>([
    [
      'whose body was changed',
      (item) => ({
        ...item,
        body: { S: (item['body']?.S ?? '').replace('"status":200', '"status":404') + ' ' },
      }),
      /MAC|not a record/,
    ],
    [
      'with another MAC',
      (item) => ({ ...item, mac: { B: createHash('sha256').update('x').digest() } }),
      /MAC/,
    ],
    [
      'with another expiry',
      (item) => ({ ...item, ttl: { N: String(Number(item['ttl']?.N) - 86_400) } }),
      /MAC/,
    ],
    ['with an additional attribute', (item) => ({ ...item, note: { S: 'x' } }), /MAC|not a record/],
  ])('%s is detected', async (_, change) => {
    const [item = {}] = await middle();
    const changed = change(item);
    const response = await after(trail, async () => {
      await put(trail.name, changed);
      return [];
    });
    expectBroken(response, /MAC|not a record/);
    expect(response.broken[0].record).toBe(item['sk']?.S);
  });

  it('that was deleted is detected, and named if another record follows it', async () => {
    const records = await middle();
    const followed = records.find((item) =>
      records.some((each) => bodyOf(each).after?.endsWith(item['sk']?.S)),
    );
    const response = await after(trail, async () => {
      await remove(trail.name, followed ?? {});
      return [];
    });
    expectBroken(response, /the record before it is gone|found \d+ records, sealed \d+/);
  });

  it('that was moved to another partition is detected', async () => {
    const [item = {}] = await middle();
    const pk = item['pk']?.S ?? '';
    const elsewhere = pk.endsWith('00') ? pk.replace(/\d\d$/, '01') : pk.replace(/\d\d$/, '00');
    const moved = { ...item, pk: { S: elsewhere } };
    const response = await after(trail, async () => {
      await remove(trail.name, item);
      await put(trail.name, moved);
      return [moved];
    });
    expectBroken(response, /MAC|gone|sealed/);
  });

  it('that was forged is detected', async () => {
    const [item = {}] = await middle();
    const invented = { ...item, sk: { S: `${(item['sk']?.S ?? '').slice(0, 12)}AAAAAAAAA` } };
    const response = await after(trail, async () => {
      await put(trail.name, invented);
      return [invented];
    });
    expectBroken(response, /MAC/);
  });

  it('is not hidden by false records, which a function of the service may insert', async () => {
    const planted: Item[] = [];
    const [removed = {}, ...others] = await middle();
    const insert = async (near: Item, attributes: Item) => {
      const sk = { S: (near['sk']?.S ?? '').slice(0, 9) + randomBytes(9).toString('base64url') };
      const item: Item = { ...attributes, pk: { S: `${tenantId}#log#00` }, sk };
      const names = Object.keys(item).map((name) => `'${name}': ?`);
      const statement = `INSERT INTO "${trail.name}" VALUE {${names.join(', ')}}`;
      const Parameters = Object.values(item);
      await dynamodb().send(new ExecuteStatementCommand({ Statement: statement, Parameters }));
      planted.push(item);
    };
    const first = others[0] ?? {};
    const last = others.at(-1) ?? {};
    const mac = { B: randomBytes(32) };
    const response = await after(trail, async () => {
      for (const near of [first, last]) await insert(near, { ...near, mac });
      await insert(first, { ttl: { N: '12345678901234567890.5' }, body: { S: '\u001b[8m' } });
      await remove(trail.name, removed);
      return planted;
    });
    const found = response.broken as Body[];
    for (const { sk } of planted) expect(found.map(({ record }) => record as string)).toContain(sk?.S);
    expectBroken(response, /found \d+ records, sealed \d+/);
    expect((await verified()).intact).toBe(true);
  });

  it('a sealed record of the deployment, which has no MAC, is detected through the seal when it changes', async () => {
    const [item = {}] = await recordsOf('deployment');
    const response = await after(trail, async () => {
      await put(trail.name, { ...item, body: { S: (item['body']?.S ?? '').replace('begun', 'ok') } });
      return [];
    });
    expectBroken(response, /found \d+ records, sealed \d+, not the same ones/);
  });

  it('is detected as missing even if its whole interval and the seals of it were deleted', async () => {
    const all = await sealItems();
    const records = await middle();
    const from = records[0]?.['sk']?.S?.slice(0, 9) ?? '';
    const to = records.at(-1)?.['sk']?.S?.slice(0, 9) ?? '';
    const gone = all.slice(1, -1).filter((item) => {
      const statement = bodyOf(item);
      return Number(statement.from) <= parseInt(to, 36) && Number(statement.to) > parseInt(from, 36);
    });
    expect(gone.length).toBeGreaterThan(0);
    const response = await asInsider(seals, async () => {
      for (const item of gone) await remove(seals.name, item);
      const found = await after(trail, async () => {
        for (const item of records) await remove(trail.name, item);
        return [];
      });
      for (const item of gone) await put(seals.name, item);
      return found;
    });
    expectBroken(response, /gap|gone/);
  });
});

describe('a seal', () => {
  it.each<[string, (item: Item) => Item]>([
    [
      'whose statement was changed',
      (item) => ({ ...item, body: { S: (item['body']?.S ?? '').replace(/"v":1/, '"v": 1') } }),
    ],
    ['with another signature', (item) => ({ ...item, signature: { B: Buffer.from('no signature') } })],
    ['with an additional attribute', (item) => ({ ...item, note: { S: 'x' } })],
  ])('%s is detected', async (_, change) => {
    const all = await sealItems();
    const response = await after(seals, async () => {
      await put(seals.name, change(all[1] ?? {}));
      return [];
    });
    expect(response.intact).toBe(false);
  });

  it('that was the newest and was deleted is detected through the head, and the sealer adds nothing', async () => {
    const all = await sealItems();
    const response = await after(seals, async () => {
      for (const item of all.slice(-2)) await remove(seals.name, item);
      await sealAfter(180);
      expect(await sealItems()).toEqual(all.slice(0, -2));
      return [];
    });
    expectBroken(response, /head/);
    await sealAfter(1);
    expect((await sealItems()).length).toBeGreaterThan(all.length);
  });

  it('whose hash was recorded is detected as missing even if chain and head were truncated together', async () => {
    const all = await sealItems();
    const hashes = all.map((item) => hashOfItem(item).toString('base64url'));
    expect(await verified({ seal: hashes.at(-1) })).toMatchObject({ intact: true });
    const head = (await itemsOf(access)).find(({ pk }) => pk?.S === 'audit') ?? {};
    const last = all.at(-3) ?? {};
    const gone = all.slice(-2);
    const responses = await asInsider(seals, async () => {
      for (const item of gone) await remove(seals.name, item);
      await put(access, { ...head, seal: { B: hashOfItem(last) } });
      const found = [await verified(), await verified({ seal: hashes.at(-1) })];
      for (const item of gone) await put(seals.name, item);
      await put(access, head);
      return found;
    });
    expect(responses[0]).toMatchObject({ intact: true });
    expectBroken(responses[1], /no seal has the hash/);
  });

  it('is rejected under a public key other than the pinned one', async () => {
    const other = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt
6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==
-----END PUBLIC KEY-----`;
    expectBroken(await verified({ public_key: other }), /signature/);
  });
});

it('a changed head in the table of keys is detected', async () => {
  const head = (await itemsOf(access)).find(({ pk }) => pk?.S === 'audit') ?? {};
  await put(access, { ...head, seal: { B: createHash('sha256').update('x').digest() } });
  const response = await verified();
  await put(access, head);
  expectBroken(response, /head/);
});

describe('the check of the schedule', () => {
  const check = () => operator({ command: 'verify-audit', principal: 'schedule', latest: true });

  it('goes on where the last one ended, and finds nothing in an unchanged trail', async () => {
    const first = await check();
    expect(first).toMatchObject({ intact: true, late: false, next: null });
    expect(first.unprotected).toBeUndefined();
    expect(first.seals).toBeGreaterThan(3);
    expect(await check()).toMatchObject({ intact: true, late: false, seals: 0, records: 0 });
  });

  it('finds a table whose policy was removed or weakened, or whose protection is off', async () => {
    const { arn, policy, name } = await tableOf('AuditIndex');
    const put = (Policy: string) =>
      dynamodb().send(new PutResourcePolicyCommand({ ResourceArn: arn, Policy }));
    const protect = (DeletionProtectionEnabled: boolean) =>
      dynamodb().send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled }));
    await put(policy.replace('"dynamodb:DeleteItem",', ''));
    await protect(false);
    const response = await asInsider(seals, check);
    await put(policy);
    await protect(true);
    expect(response).toMatchObject({
      intact: true,
      unprotected: [
        'AuditIndex: its policy does not deny dynamodb:DeleteItem to all',
        'AuditIndex: it is not protected against deletion',
        'AuditSeals: it has no policy',
      ],
    });
    expect((await check()).unprotected).toBeUndefined();
  });
});

describe('an unsealed interval', () => {
  it('shows a changed record and a gap', async () => {
    await traffic();
    const fresh = (await recordsOf(tenantId)).slice(-8);
    const changed = fresh[2] ?? {};
    const response = await after(trail, async () => {
      await put(trail.name, {
        ...changed,
        body: { S: (changed['body']?.S ?? '').replace('getToken', 'listLogs') },
      });
      return [];
    });
    expectBroken(response, /MAC/);
    const followed =
      fresh.find((item) => fresh.some((each) => bodyOf(each).after?.endsWith(item['sk']?.S))) ?? {};
    const gap = await after(trail, async () => {
      await remove(trail.name, followed);
      return [];
    });
    expectBroken(gap, /the record before it is gone/);
  });
});

describe('an export', () => {
  async function exported(): Promise<string[]> {
    const lines: string[] = [JSON.stringify({ export: 1, tenant: tenantId })];
    let next: object | null = {};
    while (next !== null) {
      const response: Body = await operator({ command: 'export-audit', tenant_id: tenantId, ...next });
      lines.push(...(response.lines as unknown[]).map((line) => JSON.stringify(line)));
      next = response.next as object | null;
    }
    return lines;
  }

  it('is verified without the service, and fails if a line was changed, removed or added', async () => {
    const lines = await exported();
    const whole = await verifyExport(lines, publicKey);
    expect(whole.broken).toEqual([]);
    expect(whole.records).toBeGreaterThan(20);
    const at = lines.findIndex((line) => line.includes('getToken'));
    const seal = lines.findIndex((line) => line.startsWith('{"seal"'));
    const changes = {
      changed: lines.with(at, (lines[at] ?? '').replace('getToken', 'listLogs')),
      removed: lines.toSpliced(at, 1),
      repeated: lines.toSpliced(at, 0, lines[at] ?? ''),
      'without a seal': lines.toSpliced(seal, 1),
    };
    const found = Object.entries(changes).map(
      async ([name, others]) => [name, (await verifyExport(others, publicKey)).failures > 0] as const,
    );
    expect(Object.fromEntries(await Promise.all(found))).toEqual(
      Object.fromEntries(Object.keys(changes).map((name) => [name, true])),
    );
  });
});

inThoroughRun.it('lists long records on short pages, however many fill the trail', async () => {
  const { base_url: baseUrl, management_key: managementKey } = service.credentials;
  const [like = {}] = await recordsOf(tenantId);
  const at = like['sk']?.S?.slice(0, 9) ?? '';
  const body = { v: 1, op: 'getToken', outcome: 'ok', ip: '\u{1F512}'.repeat(95_000) };
  const planted = Array.from({ length: 24 }, (_, shard): Item => {
    const pk = { S: `${tenantId}#log#${String(shard).padStart(2, '0')}` };
    const sk = { S: at + randomBytes(9).toString('base64url') };
    const { ids: _ids, ...others } = like;
    return { ...others, pk, sk, body: { S: JSON.stringify(body) } };
  });
  const seen: string[] = [];
  await asInsider(trail, async () => {
    for (const item of planted) await put(trail.name, item);
    for (let after: string | null | undefined, pages = 0; after !== null; pages += 1) {
      expect(pages).toBeLessThan(100);
      const from = after === undefined ? '' : `&after=${after}`;
      const page = await httpClient(baseUrl, managementKey).get(`/logs?size=100${from}`);
      expect(page.status).toBe(200);
      seen.push(...(page.body.data as Body[]).map(({ id }) => id as string));
      after = page.body.pagination.after as string | null;
    }
    for (const item of planted) await remove(trail.name, item);
  });
  expect(seen).toEqual(expect.arrayContaining(planted.map(({ sk }) => sk?.S)));
  expect(new Set(seen).size).toBe(seen.length);
});

it('lists who read a token, and the listing itself', async () => {
  const { body } = await httpClient(service.credentials.base_url, service.credentials.management_key).get(
    '/logs?operation=createToken',
  );
  const tokenId = body.data[0].tokens[0].id as string;
  const { records } = await operator({
    command: 'who-saw',
    tenant_id: tenantId,
    token_id: tokenId,
    principal: 'arn:aws:iam::1:user/ann',
  });
  expect((records as Body[]).map(({ operation, form }) => [operation, form])).toContainEqual([
    'getToken',
    'reveal',
  ]);
  expect((records as Body[]).at(-1)).toMatchObject({
    operation: 'createToken',
    form: 'create',
    outcome: 'begun',
  });
  const own = (await recordsOf(tenantId)).map(bodyOf);
  expect(own.at(-1)).toMatchObject({
    resource: `token:${tokenId}`,
    op: 'who-saw',
    cred: 'operator:arn:aws:iam::1:user/ann',
    outcome: 'begun',
  });
});

inThoroughRun.it('an index that a seal names is missed when it was removed', async () => {
  await sealAfter(3_700);
  const index = await tableOf('AuditIndex');
  const [item = {}] = (await itemsOf(index.name)).filter(
    ({ pk, sk }) => pk?.S === tenantId && sk?.S?.startsWith('part#'),
  );
  const response = await after(index, async () => {
    await remove(index.name, item);
    return [];
  });
  expectBroken(response, /^the index of [\dT:.-]+Z is gone$/);
  expect(await verified({ index: true })).toMatchObject({ intact: true });
});

it('a false index of a later time, which an administrator may insert, hides no record', async () => {
  const index = await tableOf('AuditIndex');
  const { body } = await httpClient(service.credentials.base_url, service.credentials.management_key).get(
    '/logs?operation=createToken',
  );
  const token = { tenant_id: tenantId, token_id: body.data[0].tokens[0].id as string, principal: 'x' };
  const seen = async () => (await operator({ command: 'who-saw', ...token })).records as Body[];
  const before = await seen();
  expect(before.length).toBeGreaterThan(1);
  const end = Date.UTC(2100, 0, 1).toString(36).padStart(9, '0');
  const item: Item = {
    pk: { S: tenantId },
    sk: { S: `day#${end}#${'x'.repeat(16)}` },
    from: { N: '0' },
    salt: { B: Buffer.alloc(16) },
    ttl: { N: '9999999999' },
  };
  const names = Object.keys(item).map((name) => `'${name}': ?`);
  const Statement = `INSERT INTO "${index.name}" VALUE {${names.join(', ')}}`;
  await dynamodb().send(new ExecuteStatementCommand({ Statement, Parameters: Object.values(item) }));
  const ids = (records: readonly Body[]) => records.map(({ id }) => id as string);
  expect(ids(await seen())).toEqual(ids(before));
  await asInsider(index, () => remove(index.name, item));
});
