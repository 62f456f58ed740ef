import type { BatchExecuteStatementCommand, AttributeValue as StoredValue } from '@aws-sdk/client-dynamodb';
import { itemBytes } from '../../../packages/local-aws/src/dynamodb/item-size.ts';
import type { Item } from '../../../packages/local-aws/src/dynamodb/item.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import type { Table } from '../../../src/adapters/dynamodb/table-client.ts';
import { createTrailWriter } from '../../../src/adapters/dynamodb/trail-writer.ts';
import { createAuditLog } from '../../../src/core/audit/audit-log.ts';
import { FORMS } from '../../../src/core/audit/audit-record.ts';
import {
  openScope,
  type AuditScope,
  type AuditSubject,
  type End,
} from '../../../src/core/audit/audit-scope.ts';
import type { NamedToken } from '../../../src/core/audit/effect.ts';
import { CONTAINER_LIMITS, parseContainer } from '../../../src/core/shared/container.ts';
import { ID_LENGTH, tokenIdProblem } from '../../../src/core/tokens/token-id.ts';
import { someTenantKeys } from '../../support/tenant-keys.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const TENANT = '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11';
const APPLICATION = '3c8e7a52-1f64-4b0e-8a55-d1b0f1c5a9e2';
const DAY_MS = 86_400_000;

/** The requests with the longest records that name tokens; a usual one has half as much. */
const LONGEST: AuditSubject = {
  op: 'searchTokens',
  app: APPLICATION,
  cred: `invocation:${'h'.repeat(43)}`,
  ip: '2001:0db8:0000:0000:0000:0000:203.100.113.100',
  trace: 't'.repeat(200),
};
const USUAL: AuditSubject = {
  op: 'detokenize',
  app: APPLICATION,
  cred: 'key:019ab4c2-8f7a-7d10-9c55-2b1f0e7a6d42',
  ip: '203.0.113.100',
  trace: 'b46ede0b-df5d-4a78-a781-b984528b1e1a',
};

/** Returns the item that a statement inserts, in DynamoDB's format. */
function itemOf(statement: string, values: readonly StoredValue[]): Item {
  const names = [...statement.matchAll(/'(\w+)': \?/g)].map(([, name = '']) => name);
  const members = names.map((name, at) => {
    const { B: bytes, ...other } = values[at] ?? {};
    return [name, bytes === undefined ? other : { B: Buffer.from(bytes).toString('base64') }];
  });
  return Object.fromEntries(members) as Item;
}

/** A trail whose table stores the items of records, and those of ids apart. */
function aTrail() {
  const items: Item[] = [];
  const send = ({ input: { Statements = [] } }: BatchExecuteStatementCommand) => {
    for (const { Statement = '', Parameters = [] } of Statements) items.push(itemOf(Statement, Parameters));
    return Promise.resolve({ Responses: Statements.map(() => ({})) });
  };
  const log = createAuditLog({
    trailWriter: createTrailWriter({
      client: { send },
      platform: machinePlatform,
      name: 'Audit',
    } as unknown as Table),
    tenantKeys: someTenantKeys(),
    ...machinePlatform,
    clock: () => Date.UTC(2026, 10, 25),
    auditRetentionMs: 3_650 * DAY_MS,
    onAuditUnavailable: () => undefined,
    onAuditEndMissing: () => undefined,
  });
  const unitsOf = (prefix: RegExp) =>
    items.filter(({ pk }) => prefix.test(pk?.S ?? '')).map((item) => Math.ceil(itemBytes(item) / 1024));
  return { log, records: () => unitsOf(/#log#/), ids: () => unitsOf(/^id#/) };
}

/** The write units of each record of a request, the second of its instance. */
async function unitsOf(
  subject: AuditSubject,
  run: (scope: AuditScope) => unknown,
  end: End = { status: 200, outcome: 'ok' },
) {
  const { log, records } = aTrail();
  await openScope(log, TENANT, subject).close({ status: 200, outcome: 'ok' });
  const scope = openScope(log, TENANT, subject);
  await run(scope);
  await scope.close(end);
  return records().slice(1);
}

const uuid = fc.uuid();
const chosen = fc
  .array(fc.constantFrom('a', 'Z', '0', '.', '"', ' ', '\u00e9', '\u20ac', '\u{1f4b3}', '\u{20000}'), {
    minLength: ID_LENGTH.least,
    maxLength: ID_LENGTH.most,
    size: 'max',
  })
  .map((characters) => characters.join(''))
  .filter((id) => tokenIdProblem(id) === undefined);
const segment = fc.stringMatching(new RegExp(`^[a-z0-9_-]{1,${String(CONTAINER_LIMITS.segment)}}$`));
const container = fc
  .array(segment, { maxLength: CONTAINER_LIMITS.levels, size: 'max' })
  .map((segments) => `/${segments.map((each) => `${each}/`).join('')}`)
  .filter((path) => parseContainer(path) === path);
/** More containers than a record has room for. */
const FULL = Array.from({ length: 200 }, (_, at) => `/${String(at)}/`);
const containers = fc.oneof(
  fc.uniqueArray(container, { minLength: 1, maxLength: 10, size: 'max' }),
  fc.constant(FULL),
);
const token: fc.Arbitrary<NamedToken> = fc.record({ id: fc.oneof(uuid, chosen), containers });

const many = (id: (at: number) => string, of: readonly string[]): readonly NamedToken[] =>
  Array.from({ length: 100 }, (_, at) => ({ id: id(at), containers: of }));
const uuidOf = (at: number) => `0f2c7a52-7f0e-4d7e-8a86-${String(at).padStart(12, '0')}`;
const longId = (at: number) => `${'\u{1f4b3}'.repeat(397)}${String(at).padStart(3, '0')}`;

const showing = (tokens: readonly NamedToken[]) => (scope: AuditScope) => {
  for (const each of tokens) scope.saw(each, 'reveal');
};

describe('what a record costs is not chosen by the creator of the tokens that it names', () => {
  it('is one unit for one token that is shown, whatever its id and containers', async () => {
    await fc.assert(
      fc.asyncProperty(token, fc.constantFrom(...FORMS), async (named, form) => {
        expect(await unitsOf(LONGEST, (scope) => scope.saw(named, form))).toEqual([1]);
      }),
      { numRuns: cases(100) },
    );
  });

  it('is one unit for one token that is updated, from any containers to any others', async () => {
    await fc.assert(
      fc.asyncProperty(token, containers, async (named, others) => {
        const units = await unitsOf({ ...LONGEST, op: 'updateToken' }, (scope) => {
          scope.saw(named, 'mask');
          const all = [...(named.containers ?? []), ...others];
          return scope.ahead({ tokens: [{ id: named.id, containers: all }], form: 'update' });
        });
        expect(units).toEqual([1]);
      }),
      { numRuns: cases(100) },
    );
  });

  it('is one unit for one token of a request that fails after it began', async () => {
    await fc.assert(
      fc.asyncProperty(token, async (named) => {
        const act = async (scope: AuditScope) => {
          await scope.ahead({ resource: `session:${APPLICATION}` });
          scope.saw(named, 'reveal');
        };
        expect(await unitsOf(LONGEST, act, { status: 503, outcome: 'failed' })).toEqual([1, 1]);
      }),
      { numRuns: cases(100) },
    );
  });

  it('is one unit for one token that is sent to a host of usual length', async () => {
    const host = `${'a'.repeat(50)}.example`;
    await fc.assert(
      fc.asyncProperty(token, async (named) => {
        const units = await unitsOf({ ...USUAL, op: 'proxy' }, (scope) => {
          scope.saw(named, 'use');
          return scope.ahead({ host, leaves: true });
        });
        expect(units).toEqual([1, 1]);
      }),
      { numRuns: cases(100) },
    );
  });

  it('is two units for a hundred UUIDs in one container', async () => {
    expect(await unitsOf(USUAL, showing(many(uuidOf, ['/pci/high/'])))).toEqual([2]);
  });

  it('is four units at most: for a hundred references and full containers', async () => {
    expect(await unitsOf(LONGEST, showing(many(longId, FULL)))).toEqual([4]);
  });
});

it.each([
  ['of 400 ASCII characters', 'a'.repeat(400), 1],
  ['of 400 characters of four bytes', '\u{1f4b3}'.repeat(400), 2],
])('the cost of an id is paid by the creator of its token: %s', async (_, id, units) => {
  const { log, ids } = aTrail();
  await openScope(log, TENANT, USUAL).ahead({ tokens: [{ id }], form: 'create' });
  expect(ids()).toEqual([units]);
});
