/** A mistake on the command line: one line, exit code 2. Nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Whether the environment lacks what a call of AWS needs: nothing was sent. */
export const lacksCredentials = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'CredentialsProviderError' || error.message === 'Region is missing');

/** A failure whose text is for people: one line, exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
