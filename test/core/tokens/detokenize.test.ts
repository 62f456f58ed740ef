import type { Json, JsonObject } from '../../../src/core/shared/json.ts';
import { MEMBERS_MAX } from '../../../src/core/shared/json-extent.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { createToken } from '../../../src/core/tokens/create-tokens.ts';
import { detokenize } from '../../../src/core/tokens/detokenize.ts';
import { updateToken } from '../../../src/core/tokens/update-token.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const caller = aCaller({
  tenantId: TENANT,
  permissions: [],
  rules: [
    {
      priority: 1,
      container: '/',
      transform: 'reveal',
      permissions: ['token:create', 'token:read', 'token:update'],
    },
  ],
});

async function aWorldWith(
  ...tokens: readonly { readonly data: Json; readonly metadata?: Record<string, string> }[]
) {
  const { deps } = aWallWorld();
  const opened: string[] = [];
  const vault: typeof deps.vault = {
    ...deps.vault,
    decrypt: (context, ...rest) => {
      opened.push(context.field);
      return deps.vault.decrypt(context, ...rest);
    },
  };
  const ids: string[] = [];
  for (const { data, ...more } of tokens) {
    const input = { type: 'token', data: new Secret(data), ...more } as const;
    ids.push((await createToken(deps, caller, input, randomIdentity(machinePlatform.random))).token.id);
  }
  const fill = async (value: Json) => (await detokenize({ ...deps, vault }, caller, value)).reveal();
  return { ids, fill, opened };
}

describe('detokenizing', () => {
  it('returns a value without expressions unchanged, without a copy', async () => {
    const { ids, fill } = await aWorldWith({ data: 'secret' });
    const plain: Json = { list: [[0, 'text', null], { a: [] }] };
    const value = { plain, filled: [`{{ ${ids[0] ?? ''} }}`, plain], beside: 'a { brace' };
    const filled = (await fill(value)) as { readonly plain: Json; readonly filled: readonly Json[] };
    expect(filled).toEqual({ ...value, filled: ['secret', plain] });
    expect(filled.plain).toBe(plain);
    expect(filled.filled[1]).toBe(plain);
    expect(value.filled[0]).toContain('{{');
    expect(await fill(plain)).toBe(plain);
  });

  it.each([
    ['{{ data.number }}', "A member of the data is read by a filter, as in `{{ <id> | json: '$.number' }}`"],
    [
      "{{ data['number'] }}",
      "A member of the data is read by a filter, as in `{{ <id> | json: '$.number' }}`",
    ],
    ['{{ Token: a }}', 'The whole token is written as `{{ token: <id> }}`, in lower case'],
    ['{{ token: "a" }}', 'An id is written without quotation marks'],
    ["{{ 'a' | last4 }}", 'An id is written without quotation marks'],
  ])('says what %s may have been meant to be', async (text, hint) => {
    const { fill } = await aWorldWith();
    await expect(fill(text)).rejects.toThrow(
      new RegExp(`: [^.]+.*\\. ${hint.replaceAll(/[$|{}()]/g, String.raw`\$&`)}$`),
    );
  });

  it('names the places of unknown tokens, at most twenty', async () => {
    const { ids, fill } = await aWorldWith({ data: 'secret' });
    const unknown = ['a {{ nothing }}', `{{ ${ids[0] ?? ''} }}`, '{{ nothing | last4 }}{{ none }}'];
    const detail = 'Failed to detokenize some tokens: nothing, none';
    const errors = {
      'deep.list[0]': ['names an unknown or expired token'],
      'deep.list[2]': ['names an unknown or expired token'],
    };
    await expect(fill({ deep: { list: unknown } })).rejects.toMatchObject({ message: detail, errors });
    const named = Array.from({ length: 20 }, (_, at) => [`[${String(at)}]`, errors['deep.list[0]']]);
    await expect(fill(Array.from({ length: 30 }, () => '{{ nothing }}'))).rejects.toEqual(
      expect.objectContaining({ errors: Object.fromEntries(named) }),
    );
  });

  it('fills in a member named __proto__ like any other', async () => {
    const { ids, fill } = await aWorldWith({ data: { polluted: true } });
    const value = JSON.parse(`{"a":{"__proto__":"{{ ${ids[0] ?? ''} }}","b":1}}`) as Json;
    expect(JSON.stringify(await fill(value))).toBe('{"a":{"__proto__":{"polluted":true},"b":1}}');
    expect(Object.hasOwn({}, 'polluted')).toBe(false);
  });

  it('reports the path of an invalid expression', async () => {
    const { fill } = await aWorldWith();
    await expect(fill({ a: [0, { b: '{{' }] })).rejects.toMatchObject({
      errors: { 'a[1].b': ['has an expression that is not closed: its `{{` is at column 1'] },
    });
    await expect(fill('{{')).rejects.toMatchObject({ errors: { body: [expect.any(String)] } });
  });

  it('opens the details of a token only for a reference to the whole token', async () => {
    const { ids, fill, opened } = await aWorldWith({ data: 'secret', metadata: { a: 'b' } });
    expect(await fill(`{{ ${ids[0] ?? ''} }}`)).toBe('secret');
    expect(opened).toEqual(['data']);
    expect(await fill(`{{ token: ${ids[0] ?? ''} | json: '$.metadata.a' }}`)).toBe('b');
    expect(opened).toEqual(expect.arrayContaining(['details']));
  });

  it('accepts tokens with as many elements in total as a body may have, and not one more', async () => {
    const half: Json = Array<Json>(MEMBERS_MAX / 2).fill(0);
    const { ids, fill } = await aWorldWith({ data: half }, { data: half }, { data: [0] });
    const expressions = ids.map((id) => `{{ ${id} }}`);
    expect(await fill(expressions.slice(0, 2))).toHaveLength(2);
    await expect(fill(expressions)).rejects.toMatchObject({
      code: 'payload_too_large',
      message: 'The tokens of the request contain more than 100,000 elements and members together.',
    });
  });
});

describe('the data of a token', () => {
  const half = (from: number): JsonObject =>
    Object.fromEntries(Array.from({ length: MEMBERS_MAX / 2 + 1 }, (_, at) => [`m${String(from + at)}`, 0]));

  it('has at most the elements of a body, also after a patch, which is rejected before it is applied', async () => {
    const { deps } = aWallWorld();
    const create = (data: Json) =>
      createToken(
        deps,
        caller,
        { type: 'token', data: new Secret(data) },
        randomIdentity(machinePlatform.random),
      );
    const refused = {
      code: 'payload_too_large',
      message: 'Data and mask of a token contain at most 100,000 elements and members.',
    };
    const { token } = await create(half(0));
    const added = half(MEMBERS_MAX);
    const building = jest.spyOn(Object, 'fromEntries');
    const patch = (data: Json) =>
      updateToken(
        deps,
        caller,
        { id: token.id, patch: { data: new Secret(data) } },
        randomIdentity(machinePlatform.random),
      );
    await expect(patch(added)).rejects.toMatchObject(refused);
    const built = building.mock.calls.filter(([entries]) => [...entries].length > MEMBERS_MAX / 2);
    building.mockRestore();
    expect(built).toEqual([]);
    await expect(create([half(0), half(0)])).rejects.toMatchObject(refused);
  });
});
