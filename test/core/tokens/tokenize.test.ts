import type { Json, JsonObject } from '../../../src/core/shared/json.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { tokenize } from '../../../src/core/tokens/tokenize.ts';
import { presentTokenized } from '../../../src/wire/token.ts';
import { tokenInputParser } from '../../../src/http/parse-token-input.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const caller = aCaller({ tenantId: TENANT, permissions: ['token:create'] });

/** A list that counts which of its elements are read. */
function watched(elements: readonly Json[]) {
  const looks = { count: 0 };
  const list = new Proxy(elements, {
    get(target, name, receiver): unknown {
      if (typeof name === 'string' && /^\d+$/.test(name)) looks.count += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return { list, looks };
}

describe('tokenizing', () => {
  it.each<[string, Json]>([
    ['values', 0],
    ['token objects', { type: 'token', data: 'a' }],
    ['objects', { a: 1 }],
  ])('stops at the 101st of many %s, before any of them is parsed', async (_, element) => {
    const { deps, tokenItems } = aWallWorld();
    const { list, looks } = watched(Array<Json>(10_000).fill(element));
    let parsed = 0;
    const parse = (object: JsonObject, path: string) => {
      parsed += 1;
      return tokenInputParser('strict')(object, path);
    };
    await expect(
      tokenize(deps, caller, list, parse, randomIdentity(machinePlatform.random)),
    ).rejects.toMatchObject({
      code: 'validation_failed',
      message: 'A request creates at most 100 tokens.',
    });
    expect(looks.count).toBe(101);
    expect(parsed).toBe(0);
    expect(tokenItems.count()).toBe(0);
  });

  it('makes a hundred tokens, and returns everything else unchanged', async () => {
    const { deps, tokenItems } = aWallWorld();
    const beside = { nothing: null, lists: [[], [[]], {}] };
    const values = Array.from({ length: 100 }, (_, index) => index);
    const response = presentTokenized(
      await tokenize(
        deps,
        caller,
        { values, beside },
        tokenInputParser('strict'),
        randomIdentity(machinePlatform.random),
      ),
    ) as unknown as { readonly values: readonly string[]; readonly beside: Json };
    expect(response.beside).toEqual(beside);
    expect(new Set(response.values).size).toBe(100);
    expect(tokenItems.count()).toBe(100);
  });

  it('reports the path of an error', async () => {
    const { deps } = aWallWorld();
    const value = { a: [{ b: { type: 'card', data: { number: '1' } } }, { type: 'none', data: 1 }] };
    await expect(
      tokenize(deps, caller, value, tokenInputParser('strict'), randomIdentity(machinePlatform.random)),
    ).rejects.toMatchObject({
      errors: { 'a[1].type': [expect.stringMatching(/^must be token, card, bank/)] },
    });
    const [first] = value.a;
    await expect(
      tokenize(
        deps,
        caller,
        { a: [first ?? null] },
        tokenInputParser('strict'),
        randomIdentity(machinePlatform.random),
      ),
    ).rejects.toMatchObject({
      errors: { 'a[0].b.data.number': [expect.any(String)] },
    });
  });

  describe('for a client in the field', () => {
    const lenient = tokenInputParser('lenient');
    const run = (value: Json) => {
      const { deps, tokenItems } = aWallWorld();
      const response = tokenize(
        { ...deps, clientCompatibility: 'lenient' },
        caller,
        value,
        lenient,
        randomIdentity(machinePlatform.random),
      );
      return { response, tokenItems };
    };
    const more = { containers: ['/pci/high/'], expires_at: '2999-01-01T00:00:00Z' };

    it.each<[Json, object]>([
      [{ type: 'token', Data: 's', ...more }, { Data: ['must be named `data`'] }],
      [{ Type: 'token', Data: 's', ExpiresAt: '1/1/2999' }, { Type: ['must be named `type`'] }],
      [{ a: [{ TYPE: 'card', data: {} }] }, { 'a[0].TYPE': ['must be named `type`'] }],
      [{ type: 'token', Type: 'token', 'da-ta': 1 }, { 'da-ta': ['must be named `data`'] }],
    ])('rejects a token whose members have other spellings: %j', async (value, errors) => {
      const { response, tokenItems } = run(value);
      await expect(response).rejects.toMatchObject({ code: 'validation_failed', errors });
      expect(tokenItems.count()).toBe(0);
    });

    it('accepts every other object, and in strict mode any spelling', async () => {
      const { response, tokenItems } = run({
        Type: 'a',
        b: { Data: 'c' },
        types: 1,
        d: { type: 'token', data: 1 },
      });
      await response;
      expect(tokenItems.count()).toBe(4);
      const { deps } = aWallWorld();
      const value = { Type: 'token', Data: 's' };
      const made = await tokenize(
        deps,
        caller,
        value,
        tokenInputParser('strict'),
        randomIdentity(machinePlatform.random),
      );
      expect(Object.keys(presentTokenized(made) as object)).toEqual(['Type', 'Data']);
    });
  });
});
