import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { CommandFailure } from '../../command-line/failures.ts';
import type { Part } from './part.ts';

/** Writes a part to standard output. */
export const streamPart = (output: (bytes: Uint8Array) => Promise<void>): Part => ({
  write: async (bytes) => {
    try {
      await output(bytes);
    } catch (error) {
      throw new CommandFailure(`standard output cannot be written (${String(errorCode(error))})`);
    }
  },
  end: () => Promise.resolve(),
  abort: () => Promise.resolve(),
});
