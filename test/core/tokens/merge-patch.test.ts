import { canonical, isJsonObject, type Json } from '../../../src/core/shared/json.ts';
import { mergePatch } from '../../../src/core/tokens/merge-patch.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

/**
 * Follows the pseudocode of RFC 7386, section 2, word by word. It works on a list of members
 * instead of an object.
 */
function reference(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  let members: [string, Json][] = target !== undefined && isJsonObject(target) ? Object.entries(target) : [];
  for (const [name, value] of Object.entries(patch)) {
    const old = members.find(([other]) => other === name)?.[1];
    if (value === null) members = members.filter(([other]) => other !== name);
    else {
      const merged = reference(old, value);
      members =
        old === undefined
          ? [...members, [name, merged]]
          : members.map(([n, v]) => [n, n === name ? merged : v]);
    }
  }
  return Object.fromEntries(members);
}

/** RFC 7386 cannot set a member to `null`: only other values can be patched in full. */
function withoutNullMembers(value: Json): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNullMembers(member)]),
  );
}

describe('a merge patch', () => {
  it.each<[Json, Json, Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('agrees with RFC 7386, appendix A: %j with %j is %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  it('agrees with the pseudocode of RFC 7386, section 2', () => {
    fc.assert(
      fc.property(json, json, (target, patch) =>
        expect(mergePatch(target, patch)).toEqual(reference(target, patch)),
      ),
      {
        numRuns: cases(300),
      },
    );
  });

  it('changes nothing when it is empty or applied twice, and never changes its input', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
        if (isJsonObject(target)) expect(mergePatch(target, {})).toEqual(target);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });

  it('sets any value without null members on a missing target', () => {
    fc.assert(
      fc.property(json.map(withoutNullMembers), (value) => expect(mergePatch(null, value)).toEqual(value)),
    );
  });

  it('treats `__proto__` and `constructor` as ordinary members', () => {
    const patch = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ) as Json;
    const merged = mergePatch({ a: 1 }, patch);
    expect(JSON.stringify(merged)).toBe(
      '{"a":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(JSON.stringify(mergePatch(merged, JSON.parse('{"__proto__":null}') as Json))).not.toContain(
      '__proto__',
    );
  });
});

describe('canonical JSON', () => {
  const shuffled = (value: Json): Json => {
    if (Array.isArray(value)) return (value as Json[]).map(shuffled);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, shuffled(member)]),
    );
  };

  it('is the same text for values that differ only in the order of members, and parses to the value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.stringify(canonical(shuffled(value)))).toBe(JSON.stringify(canonical(value)));
        expect(canonical(value)).toEqual(value);
        expect(canonical(canonical(value))).toEqual(canonical(value));
      }),
      { numRuns: cases(300) },
    );
  });

  it('is different in text for different values', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const same = JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
        expect(same).toBe(isEqual(a, b));
      }),
      { numRuns: cases(300) },
    );
    expect(JSON.stringify(canonical({ a: [1, 2] }))).not.toBe(JSON.stringify(canonical({ a: [2, 1] })));
  });

  it('preserves a member named __proto__', () => {
    expect(JSON.stringify(canonical(JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}') as Json))).toBe(
      '{"__proto__":{"a":2,"z":1},"b":1}',
    );
  });
});

function isEqual(a: Json, b: Json): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((element: Json, index) => isEqual(element, b[index] as Json));
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name] ?? null, b[name] ?? null))
  );
}
