import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import {
  FORMS,
  namedTokens,
  OUTCOMES,
  timeOfPosition,
  type AuditEntry,
  type AuditRecord,
  type Form,
  type Outcome,
} from '../../../src/core/audit/audit-record.ts';
import {
  listRecords,
  walkRecords,
  type PageRange,
  type RecordFilters,
  type WalkDeps,
} from '../../../src/core/trail/list-records.ts';
import { decodeContent, encodeContent } from '../../../src/core/audit/record-content.ts';
import { createIndexBuilder } from '../../../src/core/trail/token-index.ts';
import { bytesOfName, nameOfToken, referenceText } from '../../../src/core/audit/token-reference.ts';
import { anIndex, someIndexPages, type AnIndex } from '../../support/fakes/an-index.ts';
import { jsonResponse } from '../../../src/http/api-response.ts';
import { presentPage } from '../../../src/wire/page.ts';
import { presentRecord } from '../../../src/wire/log-record.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { someTenantKeys } from '../../support/tenant-keys.ts';

const TRAIL = 'a-tenant';
const SHARDS = 4;
const NOW_MS = 1_000_000;

interface Stored {
  readonly record: AuditRecord;
  readonly names: readonly Buffer[];
  /** The index has it, but the record is missing. */
  readonly isMissing: boolean;
}

const isPair = (pair: readonly string[]): pair is [string, string] => pair.length === 2;
const isNamed = (names: readonly Buffer[], id: string): boolean =>
  names.some((name) => name.equals(bytesOfName(nameOfToken(id))));

const isAt = ({ position }: AuditRecord, at: number): boolean => position.startsWith(sortableTime(at));

/** Ids by the text of their reference, with that text. */
const known = new Map<string, [string, string]>();

/** Indexes everything before a time, in ms. An index for 0 contains nothing. */
function indexOf(stored: readonly Stored[], to: number): AnIndex {
  const of = { trail: TRAIL, level: 'part', from: 0, salt: Buffer.alloc(16) } as const;
  const builder = createIndexBuilder(of);
  for (const { record, names } of stored)
    if (timeOfPosition(record.position) < to)
      builder.add(names, { at: timeOfPosition(record.position), shard: record.shard });
  const index = builder.build({ to, expires: NOW_MS });
  return anIndex(to === 0 ? {} : { indexes: new Map([['', index]]) });
}

/**
 * Partitions in memory with the pages of DynamoDB: each partition separately, at most `limit`
 * items, and at most `most` where the page would be too large.
 */
function trailOf(
  stored: Stored[],
  { most = Infinity, indexedTo = 0 } = {},
): WalkDeps & { readonly widest: () => number } {
  let widest = 0;
  const pageOf = (items: readonly Stored[], { from, before, limit }: PageRange) => {
    expect(from < before).toBe(true);
    widest = Math.max(widest, limit);
    const inside = items
      .filter(({ record }) => record.position >= from && record.position < before)
      .toSorted((a, b) => (a.record.position < b.record.position ? 1 : -1));
    const read = inside.slice(0, Math.min(limit, most));
    const readTo = inside.length > read.length ? read.at(-1)?.record.position : undefined;
    const records = read.filter(({ isMissing }) => !isMissing).map(({ record }) => record);
    return { records, ...(readTo !== undefined && { readTo }) };
  };
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const newest: WalkDeps['trailPages']['newest'] = (trail, range) =>
    Promise.resolve(
      numbers(SHARDS).map((shard) => {
        const own = stored.filter(({ record }) => record.trail === trail && record.shard === shard);
        return pageOf(
          own.filter(({ isMissing }) => !isMissing),
          range,
        );
      }),
    );
  return {
    widest: () => widest,
    trailPages: { newest },
    recordsAt: (trail, { at, shard }) =>
      Promise.resolve(
        stored
          .filter(({ isMissing }) => !isMissing)
          .map(({ record }) => record)
          .filter((record) => record.trail === trail && record.shard === shard && isAt(record, at)),
      ),
    indexPages: someIndexPages(indexOf(stored, indexedTo)),
    referredIds: (references) =>
      Promise.resolve(
        new Map(references.flatMap((each) => [known.get(referenceText(each)) ?? []].filter(isPair))),
      ),
    clock: () => NOW_MS,
  };
}

let written = 0;

/** The position of the record is random among those of its time. */
function aRecord(of: {
  readonly at: number;
  readonly shard: number;
  readonly tie: number;
  readonly entry: Omit<AuditEntry, 'op'> & { readonly op: string };
  readonly isExpired?: boolean;
  readonly isMissing?: boolean;
  readonly body?: string;
}): Stored {
  written += 1;
  const position = `${sortableTime(of.at)}${String(of.tie)}-${String(written).padStart(8, '0')}`;
  const expires = NOW_MS / 1000 + (of.isExpired === true ? 0 : 1);
  const { referred, ...content } = encodeContent(of.entry);
  for (const { reference, id } of referred)
    known.set(referenceText(reference), [referenceText(reference), id]);
  const own = of.body === undefined ? content : { ...content, body: of.body };
  const record = { trail: TRAIL, shard: of.shard, position, expires, ...own };
  const names = namedTokens(of.entry).map((id) => bytesOfName(nameOfToken(id)));
  return { record, names, isMissing: of.isMissing ?? false };
}

const ids = fc.subarray(['t-1', 't-2', 't-3']);
const drawnTokens = fc.dictionary(fc.constantFrom<Form>(...FORMS), ids, { maxKeys: 3 });
const drawn = fc.record({
  // Few times, so that many records share one.
  at: fc.integer({ min: 500, max: 506 }),
  shard: fc.nat({ max: SHARDS - 1 }),
  tie: fc.nat({ max: 9 }),
  entry: fc.record({
    op: fc.constantFrom('getToken', 'listTokens'),
    outcome: fc.constantFrom<Outcome>(...OUTCOMES),
    app: fc.constantFrom('app-1', 'app-2'),
    tokens: drawnTokens,
  }),
  isExpired: fc.boolean(),
  isMissing: fc.boolean(),
});
const time = fc.option(fc.integer({ min: -1, max: 508 }), { nil: undefined });
const drawnFilters = fc
  .record(
    {
      tokenId: fc.constantFrom('t-1', 't-2', 't-9'),
      applicationId: fc.constantFrom('app-1', 'app-2'),
      operation: fc.constantFrom('getToken', 'createToken'),
      outcome: fc.constantFrom<Outcome>('ok', 'begun'),
      form: fc.constantFrom<Form>('reveal', 'mask'),
      from: time,
      to: time,
    },
    { requiredKeys: [] },
  )
  .map((filters) =>
    Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
  ) as fc.Arbitrary<RecordFilters>;

/** Whether a form has the token or, without one, any. */
const isSeen = (names: readonly string[] = [], tokenId: string | undefined) =>
  tokenId === undefined ? names.length > 0 : names.includes(nameOfToken(tokenId));

/** Filters as the contract promises, without pages. */
const wanted = (stored: readonly Stored[], { from = 0, to = Infinity, ...filters }: RecordFilters) =>
  stored
    .filter(({ record, names, isMissing }) => {
      const entry = decodeContent(record);
      const at = parseInt(record.position.slice(0, 9), 36);
      return (
        !isMissing &&
        record.expires > NOW_MS / 1000 &&
        at >= from &&
        at < to &&
        (filters.tokenId === undefined || isNamed(names, filters.tokenId)) &&
        (filters.applicationId === undefined || entry.app === filters.applicationId) &&
        (filters.operation === undefined || entry.op === filters.operation) &&
        (filters.outcome === undefined || entry.outcome === filters.outcome) &&
        (filters.form === undefined || isSeen(entry.tokens?.[filters.form], filters.tokenId))
      );
    })
    .map(({ record }) => record.position)
    .toSorted()
    .toReversed();

/** Follows the pages to the end; `between` runs after each. */
async function walk(
  deps: WalkDeps,
  filters: RecordFilters,
  size: number,
  between: () => void = () => undefined,
): Promise<string[]> {
  const seen: string[] = [];
  let before: string | undefined;
  for (let page = 0; page < 1_000; page += 1) {
    const { views, next } = await walkRecords(deps, TRAIL, filters, { size, before });
    expect(views.length).toBeLessThanOrEqual(size);
    seen.push(...views.map(({ position }) => position));
    if (next === undefined) return seen;
    // Each page ends below the previous one, so no walk is endless.
    if (before !== undefined) expect(next < before).toBe(true);
    before = next;
    between();
  }
  throw new Error('the walk does not end');
}

const size = fc.integer({ min: 1, max: 5 });
const most = fc.integer({ min: 1, max: 6 });
/** Where the index ends: some 5 minutes before that, readers trust it. */
const end = fc.constantFrom(0, 300_503, 600_000);
const many = fc.array(drawn, { maxLength: 60 });

describe('the pages of a trail', () => {
  it('together have every matching record once, newest first', async () => {
    await fc.assert(
      fc.asyncProperty(
        many,
        drawnFilters,
        size,
        most,
        end,
        async (all, filters, pageSize, largest, indexedTo) => {
          const stored = all.map(aRecord);
          expect(await walk(trailOf(stored, { most: largest, indexedTo }), filters, pageSize)).toEqual(
            wanted(stored, filters),
          );
        },
      ),
      { numRuns: cases(150) },
    );
  });

  it('neither miss nor repeat an earlier record during concurrent writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        many,
        many,
        drawnFilters,
        size,
        most,
        end,
        async (all, later, filters, pageSize, largest, indexedTo) => {
          const stored = all.map(aRecord);
          const before = wanted(stored, filters);
          const coming = later.map(aRecord);
          const seen = await walk(trailOf(stored, { most: largest, indexedTo }), filters, pageSize, () => {
            stored.push(...coming.splice(0, 3));
          });
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((position) => before.includes(position))).toEqual(before);
          expect(seen).toEqual(seen.toSorted().toReversed());
        },
      ),
      { numRuns: cases(100) },
    );
  });

  it('read at most the requested number of records of a partition, or 250 with a filter', async () => {
    const stored = [aRecord({ at: 500, shard: 0, tie: 0, entry: { op: 'getToken', outcome: 'ok' } })];
    const widestOf = async (filters: RecordFilters) => {
      const pages = trailOf(stored);
      await walk(pages, filters, 100);
      return pages.widest();
    };
    expect(await widestOf({})).toBe(100);
    expect(await widestOf({ tokenId: 't-1', from: 1, to: 900 })).toBe(250);
    expect(await widestOf({ operation: 'getToken' })).toBe(250);
  });

  it('leave out records that cannot be read, and continue', async () => {
    const at = { at: 500, tie: 0, entry: { op: 'getToken', outcome: 'ok' } } as const;
    const bodies = ['', 'null', '7', '{}', '{"op":"a","outcome":"ok","tokens":{"reveal":"t-1"}}', '[]'];
    const stored = bodies.map((body, index) => aRecord({ ...at, shard: index % SHARDS, body }));
    const whole = aRecord({ ...at, at: 499, shard: 0 });
    expect(await walk(trailOf([...stored, whole]), {}, 2)).toEqual([whole.record.position]);
    expect(await walk(trailOf([...stored, whole]), { applicationId: 'x' }, 2)).toEqual([]);
  });
});

describe('a page of large records', () => {
  const ITEM_BYTES = 400_000;
  const REFERENCES = Math.floor((ITEM_BYTES - 200) / 24);
  const many = (count: number, id: string) => ({ tokens: { identity: Array<string>(count).fill(id) } });
  /** Records that a caller can cause, and records that only an attacker can insert. */
  const RECORDS: Readonly<Record<string, Partial<AuditEntry>>> = {
    'a hundred long ids': many(100, '0000' + '\u{1F512}'.repeat(99)),
    'many empty ids': many(REFERENCES, ''),
    'ids of quotes': many(REFERENCES, '"'.repeat(400)),
    'a thousand ids of quotes': many(1_000, '"'.repeat(400)),
    'a long address': { ip: '\u0001'.repeat(Math.floor((ITEM_BYTES - 200) / 6)) },
    'large numbers': {
      change: { members: [], x: Array<number>(70_000).fill(1e20) } as AuditEntry['change'] & object,
    },
  };

  it.each(Object.entries(RECORDS))(
    'a page of large records with %s fits into a response, and none is left out',
    async (_name, more) => {
      const entry = { op: 'x', outcome: 'ok', ...more } as const;
      const { record: first, ...rest } = aRecord({ at: 500, shard: 0, tie: 0, entry });
      const stored = Array.from({ length: 8 }, (_, index) => {
        const record = {
          ...first,
          shard: index % SHARDS,
          position: `${first.position.slice(0, -1)}${String(index)}`,
        };
        return { ...rest, record };
      });
      for (const { record } of stored)
        expect(Buffer.byteLength(record.body) + (record.ids?.length ?? 0)).toBeLessThanOrEqual(
          4 * ITEM_BYTES,
        );
      const deps = { ...trailOf(stored), tenantKeys: someTenantKeys() };
      const caller = aCaller({ tenantId: TRAIL, permissions: ['log:read'] });
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listRecords(deps, caller, {}, { size: 100, cursor });
        expect(page.items.length).toBeGreaterThan(0);
        // Throws `payload_too_large` for a page that is too large.
        jsonResponse(200, presentPage(page, presentRecord));
        seen.push(...page.items.map(({ position }) => position));
        cursor = page.info.after ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(
        stored
          .map(({ record }) => record.position)
          .toSorted()
          .toReversed(),
      );
    },
  );
});

describe('a cursor of the trail', () => {
  const deps = {
    ...trailOf(
      Array.from({ length: 30 }, (_, index) =>
        aRecord({
          at: 500,
          shard: index % SHARDS,
          tie: index % 10,
          entry: { op: 'getToken', outcome: 'ok' },
        }),
      ),
    ),
    tenantKeys: someTenantKeys(),
  };
  const caller = aCaller({ tenantId: TRAIL, permissions: ['log:read'] });
  const filters: RecordFilters = { operation: 'getToken', from: 400 };

  it('is valid only for the same filters and the same application', async () => {
    const first = await listRecords(deps, caller, filters, { size: 4, cursor: undefined });
    const cursor = first.info.after ?? '';
    const next = await listRecords(deps, caller, filters, { size: 4, cursor });
    expect(next.items).toHaveLength(4);
    const other = aCaller({ tenantId: TRAIL, permissions: ['log:read'], credentialId: 'another' });
    const attempts = [
      listRecords(deps, caller, { ...filters, from: 401 }, { size: 4, cursor }),
      listRecords(deps, caller, { operation: 'getToken' }, { size: 4, cursor }),
      listRecords(deps, caller, { ...filters, form: 'reveal' }, { size: 4, cursor }),
      listRecords(deps, caller, {}, { size: 4, cursor }),
      listRecords(deps, other, filters, { size: 4, cursor }),
      listRecords(deps, caller, filters, { size: 4, cursor: `${cursor}A` }),
    ];
    for (const attempt of attempts)
      await expect(attempt).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('is rejected without the permission', async () => {
    const reader = aCaller({ tenantId: TRAIL, permissions: ['application:read'] });
    await expect(listRecords(deps, reader, {}, { size: 4, cursor: undefined })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

it('a page looks up some 2,000 ids at most, and the next one goes on after it', async () => {
  const named = (at: number) => Array.from({ length: 100 }, (_, more) => `id-${String(at)}-${String(more)}`);
  const stored = Array.from({ length: 50 }, (_, at) =>
    aRecord({
      at: 500,
      shard: at % SHARDS,
      tie: 1,
      entry: { op: 'listTokens', outcome: 'ok', tokens: { mask: named(at) } },
    }),
  );
  const deps = trailOf(stored);
  let most = 0;
  const referredIds: WalkDeps['referredIds'] = (references) => {
    most = Math.max(most, references.length);
    return deps.referredIds(references);
  };
  const { views } = await walkRecords({ ...deps, referredIds }, TRAIL, {}, { size: 100, before: undefined });
  expect(views).toHaveLength(20);
  expect(await walk({ ...deps, referredIds }, {}, 100)).toEqual(wanted(stored, {}));
  expect(most).toBe(2_000);
});
