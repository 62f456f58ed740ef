import { createRemover } from '../../../src/core/stored-proxies/reflected-values.ts';
import { hiddenValues, retire } from '../../../src/core/stored-proxies/retired-secrets.ts';
import type { ProxyConfiguration, RetiredSecrets } from '../../../src/core/stored-proxies/stored-proxy.ts';
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
  { setsSecrets = false, author = 'a', retired = NONE, now = NOW } = {},
) => retire(retired, { before, after, setsSecrets, origin: ORIGIN, author }, now);

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
        author: 'a',
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
    for (let count = 1; count <= 101; count += 1) {
      const next = change(of({ A: String(count) }), of({ A: 'next' }), {
        setsSecrets: true,
        retired,
        now: NOW + count,
      });
      retired = next.retired;
      forgotten.push(next.hasForgotten);
    }
    expect(forgotten.filter(Boolean)).toHaveLength(1);
    expect(forgotten.at(-1)).toBe(true);
    expect(retired.reveal().map(({ values }) => values['A'])).toEqual(
      Array.from({ length: 100 }, (_, index) => String(index + 2)),
    );
  });

  it('are hidden in answers of their origin for 30 days, and of no other', () => {
    const { retired } = change(of({ A: 'an old secret of it' }), of({}));
    const namesAt = (origin: string, now: number) =>
      hiddenValues(of({ B: 'b' }), retired, { origin, author: 'a', now }).map(({ name }) => name);
    expect(namesAt(ORIGIN, NOW + 30 * DAY_MS - 1)).toEqual(['A', 'B']);
    expect(namesAt(ORIGIN, NOW + 30 * DAY_MS)).toEqual(['B']);
    expect(namesAt('https://thief.example.com', NOW)).toEqual(['B']);
  });

  const old = 'the secret of before';
  const same = 'known to both of them';
  const own = 'the secret of today';
  const hidden = (author: string, after: Readonly<Record<string, string>>, now = NOW) => {
    const { retired } = change(of({ A: old, B: same }), of(after), { setsSecrets: true });
    return hiddenValues(of(after), retired, { origin: ORIGIN, author, now });
  };

  it.each([
    [
      'refused where another application has set secrets, unless both set it',
      'b',
      { A: own, B: same },
      NOW,
      [old, own],
    ],
    ['removed where one application has set all', 'a', { A: own, B: same }, NOW, []],
    ['removed once those of the other application are forgotten', 'b', { A: own }, NOW + 30 * DAY_MS, []],
    ['removed where the other application left none', 'b', {}, NOW, []],
  ])('are %s', (_, author, after, now, refused) => {
    const values = hidden(author, after, now);
    expect(values.flatMap(({ value, isRefused }) => (isRefused ? [value] : []))).toEqual(refused);
  });

  it('are removed whatever a request has, which is searched by an allowance of its own', () => {
    const value = 'x'.repeat(20_000);
    const remover = createRemover([{ name: 'A', value, isRefused: false }]);
    expect(() => remover.namesIn(Buffer.alloc(6_000_000, 'x'))).toThrow('too often');
    expect(remover.bytes(Buffer.from(`<${value}>`)).toString()).toBe('<[removed]>');
  });

  it('fail an answer in the same words, whichever value it has, and however often', () => {
    const guess = 'x'.repeat(20_000);
    const remover = createRemover([old, guess].map((value) => ({ name: 'A', value, isRefused: true })));
    const messageOf = (text: string) => {
      try {
        return remover.bytes(Buffer.from(text)).toString();
      } catch (error) {
        return (error as Error).message;
      }
    };
    const text = `${old.slice(0, 12)}${old.slice(4)}`;
    expect(messageOf(text)).toBe(text);
    const message = messageOf(`<${old}>`);
    expect(message).toContain('several applications');
    expect([messageOf(`<${guess}>`), messageOf('x'.repeat(6_000_000))]).toEqual([message, message]);
  });
});
