import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { words as english } from '../src/frame/languages/en.ts';
import { englishWords, loadWords } from '../src/frame/messages.ts';
import { FIELD_KINDS, type FieldKind } from '../src/protocol.ts';

const LANGUAGES = globSync('packages/fields/src/frame/languages/*.ts')
  .map((file) => basename(file, '.ts'))
  .filter((name) => !['en', 'language'].includes(name))
  .sort();
/** Words that are the same in English, on purpose. */
const SAME = ['de text name'];

describe('the languages of card fields', () => {
  it.each(LANGUAGES)('%s has its own text for every state of every kind', async (language) => {
    for (const kind of FIELD_KINDS) {
      const words = await loadWords(kind, language);
      expect(words.language).toBe(language);
      const [name, empty, incomplete, invalid] = english[kind];
      for (const [part, text] of Object.entries({ name, empty, incomplete, invalid })) {
        const own = words[part as 'name' | 'empty' | 'incomplete' | 'invalid'];
        expect(own.trim()).toMatch(/./);
        if (!SAME.includes(`${language} ${kind} ${part}`))
          expect([kind, part, own]).not.toEqual([kind, part, text]);
      }
      // A wrong field and an unfinished one are different problems.
      expect(words.invalid).not.toBe(words.incomplete);
    }
  });

  it.each(LANGUAGES)(
    '%s has an example of an expiry date with a separator, and a text for one that has passed',
    async (language) => {
      const { placeholder, incomplete, past } = await loadWords('card_expiration', language);
      expect(past).not.toBe(english.past);
      expect(placeholder).toMatch(/^[A-Z]{2} \/ [A-Z]{2}$/);
      expect(incomplete).toContain('09 / 30');
    },
  );

  it('are written from right to left in Arabic and Hebrew alone', async () => {
    const rightToLeft: string[] = [];
    for (const language of ['en', ...LANGUAGES])
      if ((await loadWords('text', language)).direction === 'rtl') rightToLeft.push(language);
    expect(rightToLeft).toEqual(['ar', 'he']);
  });

  it.each([
    ['pt-BR', 'pt'],
    ['DE', 'de'],
    ['zh-Hant-TW', 'zh'],
    ['en-GB', 'en'],
    ['', 'en'],
    ['tlh', 'en'],
    ['constructor', 'en'],
    ['__proto__', 'en'],
  ])('are chosen by the first part of a tag: %j has %s', async (locale, language) => {
    expect((await loadWords('text', locale)).language).toBe(language);
  });

  it('fall back to English at the start, with examples for the fields of a card', () => {
    const examples = Object.fromEntries(
      FIELD_KINDS.map((kind) => [kind, englishWords(kind).placeholder]),
    ) satisfies Partial<Record<FieldKind, string>>;
    expect(examples).toEqual({
      card_number: '1234 1234 1234 1234',
      card_expiration: 'MM / YY',
      card_cvc: '123',
      account_number: '',
      routing_number: '',
      text: '',
    });
  });
});
