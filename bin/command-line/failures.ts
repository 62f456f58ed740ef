/** A mistake on the command line: one line, exit code 2. Nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure whose text is for people: one line, exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
