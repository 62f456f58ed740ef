import { listKeysStep } from '../../../src/core/operator/list-keys.ts';
import { aKey, anApplication } from '../../support/builders/an-application.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.parse('2026-11-26T10:00:00Z');

const daysAgo = (days: number) => NOW - days * DAY;
const day = (days: number) => new Date(daysAgo(days)).toISOString().slice(0, 10);

const USES = new Map([
  ['old and used', day(1)],
  ['old and forgotten', day(45)],
  ['young', day(0)],
]);
const KEYS = [
  aKey({ id: 'old and used', createdAt: daysAgo(100) }),
  aKey({ id: 'old and forgotten', createdAt: daysAgo(91) }),
  aKey({ id: 'old, never used', createdAt: daysAgo(91) }),
  aKey({ id: 'young', createdAt: daysAgo(89) }),
  aKey({ id: 'new, never used', createdAt: daysAgo(2) }),
];
const APPLICATION = anApplication({ name: 'Billing', keys: KEYS });

const deps = {
  clock: () => NOW,
  applicationStore: {
    async *list(_: string, after: string | undefined) {
      await Promise.resolve();
      if (after === undefined) yield [APPLICATION];
    },
    lastUses: () => Promise.resolve(USES),
  },
};

const found = async (filter: object) =>
  (await listKeysStep(deps, APPLICATION.tenantId, filter, undefined)).keys.map(({ id }) => id);

describe('the keys of a tenant', () => {
  it('are all listed without a filter, with their application, and never with their hash', async () => {
    const { keys, next } = await listKeysStep(deps, APPLICATION.tenantId, {}, undefined);
    expect(keys.map(({ id }) => id)).toEqual(KEYS.map(({ id }) => id));
    expect(keys[0]).toMatchObject({
      applicationId: APPLICATION.id,
      applicationName: 'Billing',
      lastUsedOn: day(1),
    });
    expect(keys.filter((key) => 'hash' in key)).toEqual([]);
    expect(next).toBe(APPLICATION.id);
    expect(await listKeysStep(deps, APPLICATION.tenantId, {}, next)).toEqual({ keys: [] });
  });

  it.each([
    [{ olderThanMs: 90 * DAY }, ['old and used', 'old and forgotten', 'old, never used']],
    [{ unusedForMs: 30 * DAY }, ['old and forgotten', 'old, never used']],
    [{ olderThanMs: 91 * DAY, unusedForMs: 30 * DAY }, ['old and forgotten', 'old, never used']],
    [{ unusedForMs: 2 * DAY }, ['old and forgotten', 'old, never used', 'new, never used']],
    [{ olderThanMs: 101 * DAY }, []],
  ])('are filtered by %j', async (filter, expected) => {
    expect(await found(filter)).toEqual(expected);
  });
});
