import { basename, relative, resolve } from 'node:path';
import { allFiles } from './all-files.ts';

/**
 * Whether a file is about a word: a part of its name, or of its folder's, begins with it. `tokens`
 * matches `token-list` and `tokenize` too; a path matches itself, and the tests of the same name.
 */
export function isAbout(path: string, word: string): boolean {
  if (word.includes('/')) {
    const named = relative('.', resolve(word));
    const isItsTest = basename(path) === basename(named).replace(/(?:\.test)?\.ts$/, '.test.ts');
    return path === named || path.startsWith(`${named}/`) || isItsTest;
  }
  const begins = word.toLowerCase().replace(/s$/, '');
  return (
    begins !== '' && ['/', '.', '-'].some((before) => `/${path}`.toLowerCase().includes(before + begins))
  );
}

/**
 * The files for an argument of `npm test`: a subject in their paths (`tokens`), a file, or a
 * folder. Throws if there is none.
 */
export function filesOf(words: readonly string[]): readonly string[] {
  const all = allFiles();
  return [
    ...new Set(
      words.flatMap((word) => {
        const files = all.filter((path) => isAbout(path, word));
        if (files.length === 0) throw new Error(`there is no file about ${word}`);
        return files;
      }),
    ),
  ];
}
