import { createReadStream, statSync } from 'node:fs';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { UsageError } from '../../command-line/failures.ts';
import { FileEnds } from './read-row.ts';

/** The bytes of a file or of standard input. */
export interface Input {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The share that was read, from 0 to 1; `undefined` for a pipe. */
  readonly share: () => number | undefined;
}

/** Passes bytes on and counts them. A file that cannot be read on ends there. */
async function* counting(
  name: string,
  open: () => AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of open()) {
      count(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw new FileEnds(`${name} cannot be read on (${String(errorCode(error))})`);
  }
}

const CHUNK_BYTES = 256 * 1024;

/** Opens the input of a command line. Throws {@link UsageError}. */
export function openInput(file: string, standardInput: AsyncIterable<Uint8Array> | undefined): Input {
  if (file === '-') {
    if (standardInput === undefined) throw new UsageError('there is no standard input');
    const name = 'standard input';
    return {
      name,
      chunks: counting(
        name,
        () => standardInput,
        () => undefined,
      ),
      share: () => undefined,
    };
  }
  let size: number;
  try {
    const found = statSync(file);
    if (found.isDirectory()) throw new UsageError(`${file} is a folder`);
    size = found.isFile() ? found.size : 0;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read (${String(errorCode(error))})`);
  }
  let read = 0;
  // A stream opens its file at once, and a run that is refused reads none.
  const open = () => createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
  const chunks = counting(file, open, (bytes) => {
    read += bytes;
  });
  return { name: file, chunks, share: () => (size === 0 ? undefined : read / size) };
}
