import { UsageError } from '../../command-line/failures.ts';
import { printable } from '../../command-line/show.ts';

/** Lines and columns begin at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** More problems than these are no help. */
const SHOWN_MAX = 50;

/** Everything that is wrong with a file: exit code 2. The first line of the message counts it. */
export class FileProblemsError extends UsageError {
  readonly lines: readonly string[];

  constructor(file: string, lines: readonly string[]) {
    const count = lines.length === 1 ? 'a problem' : `${String(lines.length)} problems`;
    super(`${file} has ${count}; nothing was done`);
    this.lines = lines;
  }
}

/** Collects the problems of a file, so that a person sees all of them together. */
export class Problems {
  readonly #file: string;

  readonly #found: (Position & { readonly message: string })[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** The message must not have anything of a value: it may be a secret in the wrong place. */
  report({ line, column }: Position, message: string): void {
    if (!this.#found.some((each) => each.line === line && each.message === message))
      this.#found.push({ line, column, message });
  }

  get count(): number {
    return this.#found.length;
  }

  /** Throws {@link FileProblemsError} if there is a problem. */
  throwIfAny(): void {
    if (this.#found.length === 0) return;
    const lines = this.#found
      .toSorted((a, b) => a.line - b.line || a.column - b.column)
      .slice(0, SHOWN_MAX)
      .map(({ line, column, message }) =>
        printable(`${this.#file}:${String(line)}:${String(column)}: ${message}`),
      );
    throw new FileProblemsError(this.#file, lines);
  }
}
