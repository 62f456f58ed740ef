import { randomBytes } from 'node:crypto';
import { ExecuteStatementCommand } from '@aws-sdk/client-dynamodb';
import { recordKey, referredKey, type ItemKey } from '../../../src/adapters/dynamodb/keys.ts';
import { createReferredIds, createTrailReader } from '../../../src/adapters/dynamodb/trail-reader.ts';
import { createTrailSearch } from '../../../src/adapters/dynamodb/trail-search.ts';
import { DEPLOYMENT, newRecordPosition, placeText } from '../../../src/core/audit/audit-record.ts';
import { referenceOf } from '../../../src/core/audit/token-reference.ts';
import { walkRecords } from '../../../src/core/trail/list-records.ts';
import { verifyStep } from '../../../src/core/trail/verify-trail.ts';
import { aDatabase, type Database } from '../../support/a-database.ts';
import { MINUTE, START, TENANTS, Trail } from '../../core/trail/a-trail.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

type Value = Readonly<Record<string, unknown>>;

const BODY = { S: '{"v":1,"op":"getToken","outcome":"ok"}' };
/** Attributes of items that a principal with `dynamodb:PartiQLInsert` may add. */
const ODD: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  'no attributes': {},
  'no expiry': { body: BODY },
  'an expiry beyond the numbers of JavaScript': { ttl: { N: '1.5E100' }, body: BODY },
  'a large expiry with a fraction': { ttl: { N: '12345678901234567890.5' }, body: BODY },
  'an expiry with 38 digits': { ttl: { N: '9'.repeat(38) }, body: BODY },
  'an expiry of text': { ttl: { S: '\u001b[8m' }, body: BODY },
  'a body of bytes': { ttl: { N: '1' }, body: { B: randomBytes(8) } },
  'a body that is a list': { ttl: { N: '1' }, body: { L: [{ N: '1e-130' }, { NULL: true }] } },
  'a set of large numbers': { ttl: { N: '1' }, body: BODY, more: { NS: ['1E99', '2'] } },
  'a MAC of text': { ttl: { N: '1' }, body: BODY, mac: { S: '' } },
  'an empty MAC': { ttl: { N: '1' }, body: BODY, mac: { B: Buffer.alloc(0) } },
  'deep JSON': { ttl: { N: '1' }, body: { S: '['.repeat(100_000) } },
  'control characters': { ttl: { N: '1' }, body: { S: '{"v":1,"op":"\u0007\u202e","key":1}' } },
};

let database: Database;
const table = () => database.table('Audit');

beforeAll(async () => {
  database = await aDatabase(3);
});
afterAll(() => database.close());

async function insert(trail: string, position: string, attributes: Readonly<Record<string, Value>>) {
  await insertItem(recordKey(trail, 3, position), attributes);
}

async function insertItem({ pk, sk }: ItemKey, attributes: Readonly<Record<string, Value>>) {
  const item: Record<string, unknown> = { pk: { S: pk }, sk: { S: sk }, ...attributes };
  const Statement = `INSERT INTO "${table().name}" VALUE {${Object.keys(item)
    .map((name) => `'${name}': ?`)
    .join(', ')}}`;
  await table().client.send(
    new ExecuteStatementCommand({ Statement, Parameters: Object.values(item) as never }),
  );
}

it('an inserted item with odd attributes is a failure of its own, and crashes no reader', async () => {
  const own = new Trail();
  const positions = new Map<string, string>();
  for (const [at, [name, attributes]] of Object.entries(ODD).entries()) {
    const position = newRecordPosition(machinePlatform.random, START + at);
    positions.set(name, position);
    await insert(TENANTS[0], position, attributes);
  }
  const odd = `${newRecordPosition(machinePlatform.random, START + 999).slice(0, 9)}\u001b]0;x\u0007\u{10ffff}`;
  positions.set('an odd position', odd);
  await insert(TENANTS[0], odd, { ttl: { N: '1' }, body: BODY });
  own.now = START + MINUTE;
  const verified = await verifyStep(own.verifyDeps({ trail: createTrailReader(table()) }), {
    coverage: 'complete',
    trails: [TENANTS[0]],
    from: START - MINUTE,
    to: own.now,
    deadline: Infinity,
  });
  expect(verified.failures).toBe(positions.size);
  expect(verified.broken.map(({ place }) => place)).toEqual(
    [...positions.values()].map((position) => placeText({ shard: 3, position })),
  );
  const deps = { ...createTrailSearch(table(), table()), clock: () => own.now };
  const walked = await walkRecords(deps, TENANTS[0], {}, { size: 100, before: undefined });
  expect(walked.next).toBeUndefined();
});

it('an inserted record that refers to ids that are not stored, or to others, is reported', async () => {
  const own = new Trail();
  const [gone, other, long] = ['gone', 'other', 'x'.repeat(5_000)].map(referenceOf) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  for (const [reference, id] of [
    [other, 'none of this reference'],
    [long, 'x'.repeat(5_000)],
  ] as const)
    await insertItem(referredKey(reference), { id: { S: id } });
  const body = { S: JSON.stringify({ v: 1, op: 'getToken', tokens: { reveal: [0, 3] } }) };
  const ttl = { N: String(START / 1000 + 86_400) };
  await insert(DEPLOYMENT, newRecordPosition(machinePlatform.random, START), {
    ttl,
    body,
    ids: { B: Buffer.concat([gone, other, long]) },
  });
  own.now = START + MINUTE;
  const { broken } = await verifyStep(
    own.verifyDeps({ trail: createTrailReader(table()), referred: createReferredIds(table()) }),
    { coverage: 'complete', trails: [DEPLOYMENT], from: START, to: own.now, deadline: Infinity },
  );
  const what = 'the id of a reference is gone';
  expect(broken.map((each) => each.what)).toEqual([what, what]);
});
