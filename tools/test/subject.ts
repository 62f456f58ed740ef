import { execFileSync } from 'node:child_process';

/** The files of the project by their paths, those too that are not committed yet. */
function allFiles(): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
}

/**
 * Whether a file is about a word: its name or that of a folder has a part that begins so. `tokens`
 * is said of `token-list` and `tokenize` too; a path is said of what it names.
 */
export function isAbout(path: string, word: string): boolean {
  if (word.includes('/')) return path === word || path.startsWith(word.replace(/\/?$/, '/'));
  const begins = word.toLowerCase().replace(/s$/, '');
  return ['/', '.', '-'].some((before) => `/${path}`.toLowerCase().includes(before + begins));
}

/**
 * The files of what `npm test` was asked for: a subject as it stands in their paths (`tokens`), a
 * file, or a folder. Throws if there is none.
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
