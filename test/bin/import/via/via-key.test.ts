import { UsageError } from '../../../../bin/command-line/failures.ts';
import { makeViaKey, type KeyMaker } from '../../../../bin/import/via/via-key.ts';
import type { JsonObject } from '../../../../src/core/shared/json.ts';
import { PERMISSIONS } from '../../../../src/core/access/permission.ts';

const NOW = Date.parse('2026-12-01T00:00:00Z');
const WANTED = { application: 'app', addresses: ['203.0.113.0/24'], hours: 24 };

function aMaker(application: JsonObject) {
  const calls: unknown[] = [];
  const maker: KeyMaker = {
    retrieve: () => Promise.resolve(application),
    createKey: (_, body) => {
      calls.push(body);
      return Promise.resolve({ id: 'k', key: 'key_text' });
    },
    deleteKey: (...args) => {
      calls.push(args);
      return Promise.resolve();
    },
  };
  return { maker, calls };
}

const aPublic = (more: JsonObject = {}): JsonObject => ({
  type: 'public',
  permissions: ['token:create'],
  ...more,
});

describe('the key of an import through another vault', () => {
  it('creates tokens alone, from that vault alone, and ends', async () => {
    const { maker, calls } = aMaker(aPublic());
    const { key, end } = await makeViaKey(maker, WANTED, NOW);
    expect(key.reveal()).toBe('key_text');
    await end();
    expect(calls).toEqual([
      {
        name: 'import through another vault',
        expires_at: '2026-12-02T00:00:00.000Z',
        source_addresses: ['203.0.113.0/24'],
      },
      ['app', 'k'],
    ]);
  });

  it('is made for no application that may do anything else, by itself or by a rule', async () => {
    const rule = (permissions: readonly string[]) => ({ permissions: [], rules: [{ permissions }] });
    await expect(
      makeViaKey(aMaker(aPublic(rule(['token:create']))).maker, WANTED, NOW),
    ).resolves.toBeDefined();
    const others = Object.keys(PERMISSIONS).filter((permission) => permission !== 'token:create');
    for (const permission of others)
      for (const more of [
        { permissions: ['token:create', permission] },
        rule(['token:create', permission]),
      ]) {
        const { maker, calls } = aMaker(aPublic(more));
        await expect(makeViaKey(maker, WANTED, NOW)).rejects.toThrow(UsageError);
        expect(calls).toEqual([]);
      }
    for (const application of [aPublic({ permissions: [] }), aPublic({ type: 'private' }), {}])
      await expect(makeViaKey(aMaker(application).maker, WANTED, NOW)).rejects.toThrow(UsageError);
  });

  it.each([
    ['no address', { addresses: [] }],
    ['all addresses', { addresses: ['0.0.0.0/0'] }],
    ['half of the internet', { addresses: ['203.0.113.7', '128.0.0.0/1'] }],
    ['all of IPv6', { addresses: ['::/0'] }],
    ['more than a week', { hours: 169 }],
    ['no time', { hours: 0 }],
    ['no number', { hours: Number.NaN }],
  ])('is not made for %s', async (_, more) => {
    const { maker, calls } = aMaker(aPublic());
    await expect(makeViaKey(maker, { ...WANTED, ...more }, NOW)).rejects.toThrow(UsageError);
    expect(calls).toEqual([]);
  });
});
