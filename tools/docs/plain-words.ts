/*
 * Words that readers do not search for. Code, comments, titles of tests, messages and documents use
 * the word of the field instead. A name in camelCase or snake_case counts as its words.
 */

/** A word or phrase, and what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  given: 'input, value, passed or configured',
  told: 'reported, returned or printed',
  tells: 'reports, returns or shows',
  kept: 'stored, cached or retained',
  held: 'stored, owned or cached',
  whoever: 'the actor: the caller, the client, the writer',
  nobody: 'the actor: no caller, no writer',
  somebody: 'the actor: another caller, an attacker',
  anew: 'again',
  'stands in': 'is in',
  'stands for': 'means, or is for',
  'comes to': 'results in, or reaches',
  'put aside': 'moved to the dead-letter queue',
};

const PHRASES = new RegExp(`\\b(?:${Object.keys(INSTEAD).join('|')})\\b`, 'g');

/** A stored or public name that must stay: the comment on its line, or on the one before. */
const EXEMPTION = 'plain-words:';

/** The value of a setting, in quotes, is a name: `proxyRedirects` is `told` or `raw`. */
const VALUE = /(['"`])told\1/g;

/** A word that was found. */
export interface WordFinding {
  /** From 1. */
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

/** Separates the words of `sealedAnew` and `kept_until`, in lower case. */
function separateWords(text: string): string {
  return text
    .replace(VALUE, '$1$1')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

/** Finds all such words of a text, in their order. */
export function wordFindings(text: string): readonly WordFinding[] {
  const lines = text.split('\n');
  return separateWords(text)
    .split('\n')
    .flatMap((line, index) => {
      if (lines[index]?.includes(EXEMPTION) === true || lines[index - 1]?.includes(EXEMPTION) === true)
        return [];
      return [...line.matchAll(PHRASES)].map(([word]) => ({
        line: index + 1,
        word,
        instead: INSTEAD[word] ?? '',
      }));
    });
}
