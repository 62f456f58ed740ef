import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { CommandFailure } from '../../command-line/failures.ts';
import { restoreState, type RestoreState } from './restore-state.ts';

/** The lists that the administrator edits. What stays in a list stays as it is now. */
export type ListKind = 'deleted' | 'changed' | 'created';

/** The folder of a restore: its state, its lists for the administrator, and working files. */
export interface RestoreFolder {
  readonly path: string;
  /** The folder for the program's own files, which contain ids of tokens. */
  readonly work: string;
  /**
   * Returns the validated state of the restore. Throws {@link CommandFailure} if the file contains
   * something else.
   */
  load(): RestoreState | undefined;
  /** Resolves only once the state is on the disk: what follows may depend on it. */
  save(state: RestoreState): void;
  /** Writes a list and remembers it. */
  writeList(name: string, lines: readonly string[]): void;
  /**
   * The lines that the administrator removed from a list. Throws {@link CommandFailure} if the file
   * is missing or has a line that the list never had: it may be an edited one.
   */
  removedLines(name: string): readonly string[];
  listPath(name: string): string;
  /** Forgets the restore; the lists stay. */
  forget(): void;
}

function writeWhole(file: string, text: string): void {
  const descriptor = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.new`, file);
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

const linesIn = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function parseState(file: string, text: string): RestoreState {
  try {
    return restoreState.parse(JSON.parse(text));
  } catch {
    throw new CommandFailure(`${file} is not the state of a restore, or was changed; nothing was done`);
  }
}

export function restoreFolder(path: string): RestoreFolder {
  const stateFile = join(path, 'state.json');
  const work = join(path, 'work');
  const listPath = (name: string) => join(path, `${name}.jsonl`);
  const originalPath = (name: string) => join(work, `${name}.original.jsonl`);

  return {
    path,
    work,
    listPath,
    load() {
      try {
        return parseState(stateFile, readFileSync(stateFile, 'utf8'));
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    save(state) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      writeWhole(stateFile, `${JSON.stringify(restoreState.parse(state), undefined, 2)}\n`);
    },
    writeList(name, lines) {
      mkdirSync(work, { recursive: true, mode: 0o700 });
      writeFileSync(listPath(name), textOf(lines), { mode: 0o600 });
      writeFileSync(originalPath(name), textOf(lines), { mode: 0o600 });
    },
    removedLines(name) {
      let left: Set<string>;
      try {
        left = new Set(linesIn(listPath(name)));
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
        throw new CommandFailure(
          `${listPath(name)} is missing: what stays in it stays as it is now; nothing was done`,
        );
      }
      const original = linesIn(originalPath(name));
      const known = new Set(original);
      const added = [...left].find((line) => !known.has(line));
      if (added !== undefined)
        throw new CommandFailure(
          `${listPath(name)} has a line that was not in it: ${added.slice(0, 200)}. Only remove lines; nothing was done`,
        );
      return original.filter((line) => !left.has(line));
    },
    forget() {
      rmSync(stateFile, { force: true });
      rmSync(work, { recursive: true, force: true });
    },
  };
}
