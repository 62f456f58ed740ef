import { canonical, type Json } from '../../../src/core/shared/json.ts';
import { withoutAnyCvc } from '../../../src/core/tokens/without-cvc.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

/** An independent implementation that writes the members of all objects in code-unit order. */
const written = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).filter((name) => !/^(?:0|[1-9]\d*)$/.test(name));
  const numbers = Object.keys(value).filter((name) => !names.includes(name));
  const members = [...numbers, ...names.sort()].map(
    (name) => `${JSON.stringify(name)}:${written((value as Record<string, unknown>)[name])}`,
  );
  return `{${members.join()}}`;
};

describe('a JSON value in canonical order', () => {
  it('has the members of each object in code-unit order, and is equal to its original', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const ordered = canonical(value as Json);
        expect(ordered).toEqual(value);
        expect(JSON.stringify(ordered)).toBe(written(value));
      }),
      { numRuns: cases(300) },
    );
  });

  it('is the same object if it is in order, down to each part of it', () => {
    const inOrder = { a: [{ b: 1, c: [] }], d: null };
    expect(canonical(inOrder)).toBe(inOrder);
    const mixed = { z: inOrder, a: [inOrder] };
    const ordered = canonical(mixed) as typeof mixed;
    expect(ordered.z).toBe(inOrder);
    expect(ordered.a).toBe(mixed.a);
    expect(Object.keys(ordered)).toEqual(['a', 'z']);
  });
});

describe('a JSON value without a cvc', () => {
  it('lacks every member of that name, and is the same object without any', () => {
    const plain = { a: [{ b: 'cvc' }] };
    expect(withoutAnyCvc(plain)).toBe(plain);
    const value = { plain, list: [{ cvc: '123', number: 1 }, 'cvc'], cvc: { a: 1 } };
    const without = withoutAnyCvc(value) as { readonly plain: Json };
    expect(without).toEqual({ plain, list: [{ number: 1 }, 'cvc'] });
    expect(without.plain).toBe(plain);
    expect(withoutAnyCvc(value, (name, member) => name === 'cvc' && typeof member === 'string')).toEqual({
      plain,
      list: [{ number: 1 }, 'cvc'],
      cvc: { a: 1 },
    });
  });
});
