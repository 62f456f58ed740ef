import type { FieldKind } from '../protocol.ts';
import { words as english } from './languages/en.ts';
import type { Language } from './languages/language.ts';

/** Each language is a file of its own, which only a page in that language loads. */
const LOADERS: Readonly<Record<string, () => Promise<{ readonly words: Language }>>> = {
  de: () => import('./languages/de.ts'),
  fr: () => import('./languages/fr.ts'),
  es: () => import('./languages/es.ts'),
  it: () => import('./languages/it.ts'),
  pt: () => import('./languages/pt.ts'),
  nl: () => import('./languages/nl.ts'),
  pl: () => import('./languages/pl.ts'),
  ar: () => import('./languages/ar.ts'),
  he: () => import('./languages/he.ts'),
  ja: () => import('./languages/ja.ts'),
  zh: () => import('./languages/zh.ts'),
};

const ENGLISH = 'en';
const RIGHT_TO_LEFT = ['ar', 'he'];
const NUMBER_EXAMPLE = '1234 1234 1234 1234';
const CVC_EXAMPLE = '123';

/** The words that one field shows. */
export interface Words {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly name: string;
  readonly placeholder: string;
  readonly empty: string;
  readonly incomplete: string;
  readonly invalid: string;
  readonly past: string;
}

function wordsOf(kind: FieldKind, language: string, words: Language): Words {
  const [name, empty, incomplete, invalid] = words[kind];
  const examples: Partial<Record<FieldKind, string>> = {
    card_number: NUMBER_EXAMPLE,
    card_expiration: words.placeholder,
    card_cvc: CVC_EXAMPLE,
  };
  return {
    language,
    direction: RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr',
    name,
    placeholder: examples[kind] ?? '',
    empty,
    incomplete,
    invalid,
    past: words.past,
  };
}

export const englishWords = (kind: FieldKind): Words => wordsOf(kind, ENGLISH, english);

/** The words in the language of a tag, such as `pt-BR`; English for one that is not here. */
export async function loadWords(kind: FieldKind, locale: string): Promise<Words> {
  const language = locale.toLowerCase().split('-', 1)[0] ?? '';
  const load = Object.hasOwn(LOADERS, language) ? LOADERS[language] : undefined;
  if (load === undefined) return englishWords(kind);
  try {
    return wordsOf(kind, language, (await load()).words);
  } catch {
    // A file that did not arrive must not cost the sale.
    return englishWords(kind);
  }
}
