import type { Command } from 'commander';

/** A command reaches the process that it runs in only through this. */
export interface Surroundings {
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** Writes to standard error. */
  readonly printError: (text: string) => void;
  /** Whether the output goes to a person and is not stored. */
  readonly isTerminal: boolean;
  /** Asks at the terminal; absent without a terminal. */
  readonly ask?: (question: string) => Promise<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
}

/**
 * Creates a command, whose action throws `UsageError` and `CommandFailure`. It calls `failed` where
 * a check found something, which is an exit code without a message, 1 by default.
 */
export type CreateCommand = (surroundings: Surroundings, failed: (exitCode?: number) => void) => Command;
