import { createRemover } from '../../../src/core/proxies/reflected-values.ts';
import { hiddenValues, retire } from '../../../src/core/proxies/retired-secrets.ts';
import type { ProxyConfiguration, RetiredSecrets } from '../../../src/core/proxies/stored-proxy.ts';
import { Secret } from '../../../src/core/shared/secret.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ORIGIN = 'https://destination.example.com';
const NOW = 1_800_000_000_000;

const of = (values: Readonly<Record<string, string>>): Secret<ProxyConfiguration> =>
  new Secret(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, isPublic: false }])),
  );
const NONE = new Secret<readonly RetiredSecrets[]>([]);

const change = (
  before: Secret<ProxyConfiguration>,
  after: Secret<ProxyConfiguration>,
  { setsSecrets = false, generation = 1, retired = NONE, now = NOW } = {},
) => retire(retired, { before, after, setsSecrets, origin: ORIGIN, generation }, now);

describe('the secrets that a proxy had', () => {
  it.each<[string, Secret<ProxyConfiguration>, boolean, string[]]>([
    ['that a change replaced, and those that came with them', of({ A: 'new' }), true, ['A', 'B']],
    ['that a change dropped', of({ B: 'b' }), false, ['A']],
    [
      'that a change made public',
      new Secret({ A: { value: 'x', isPublic: true }, B: { value: 'b', isPublic: false } }),
      false,
      ['A'],
    ],
  ])('are those %s', (_, after, setsSecrets, names) => {
    const { retired } = change(of({ A: 'a', B: 'b' }), after, { setsSecrets });
    expect(retired.reveal()).toEqual([
      {
        origin: ORIGIN,
        generation: 1,
        until: NOW + 30 * DAY_MS,
        values: Object.fromEntries(names.map((name) => [name, name.toLowerCase()])),
      },
    ]);
  });

  it('are none after a change that leaves all of them', () => {
    const { retired, hasForgotten } = change(of({ A: 'a' }), of({ A: 'a' }));
    expect([retired.reveal(), hasForgotten]).toEqual([[], false]);
  });

  it('are forgotten, the oldest first, where they count more than the limit', () => {
    let retired = NONE;
    const forgotten: boolean[] = [];
    for (let generation = 1; generation <= 101; generation += 1) {
      const next = change(of({ A: String(generation) }), of({ A: 'next' }), {
        setsSecrets: true,
        generation,
        retired,
        now: NOW + generation,
      });
      retired = next.retired;
      forgotten.push(next.hasForgotten);
    }
    expect(forgotten.filter(Boolean)).toHaveLength(1);
    expect(forgotten.at(-1)).toBe(true);
    expect(retired.reveal().map(({ generation }) => generation)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 2),
    );
  });

  it('are removed from answers of their origin for 30 days, and from no other', () => {
    const { retired } = change(of({ A: 'an old secret of it' }), of({}));
    const namesAt = (origin: string, now: number) =>
      hiddenValues(of({ B: 'b' }), retired, { origin, generation: 2, now }).map(({ name }) => name);
    expect(namesAt(ORIGIN, NOW + 30 * DAY_MS - 1)).toEqual(['A', 'B']);
    expect(namesAt(ORIGIN, NOW + 30 * DAY_MS)).toEqual(['B']);
    expect(namesAt('https://thief.example.com', NOW)).toEqual(['B']);
  });

  it('are removed whatever a request has, which is searched by a share of its own', () => {
    const value = 'x'.repeat(20_000);
    const remover = createRemover([{ name: 'A', value, generation: 1 }]);
    expect(() => remover.namesIn(Buffer.alloc(6_000_000, 'x'))).toThrow('too often');
    expect(remover.text(`<${value}>`)).toBe('<[removed]>');
  });

  it('have a share of the comparisons that no later value uses up', () => {
    const [old, own] = ['an old secret: 4eC39HqLyjWDarjt', 'x'.repeat(20_000)];
    const values = [old, own].map((value, index) => ({ name: 'A', value, generation: index + 1 }));
    const text = `${old.slice(0, 12)}${old.slice(4)}`;
    const remover = createRemover(values);
    expect(remover.text(text)).toBe(text);
    expect(() => remover.bytes(Buffer.alloc(1_000_000, 'x'))).toThrow('too often');
    expect(remover.text(`<${old}>`)).toBe('<[removed]>');
  });
});
