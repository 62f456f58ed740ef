import { createReadStream, statSync } from 'node:fs';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { UsageError } from '../../command-line/failures.ts';

/** The bytes of a file or of standard input. */
export interface Input {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The share that was read, from 0 to 1; `undefined` for a pipe. */
  readonly share: () => number | undefined;
}

/** Opens the file at the first read: a run that is refused reads none. */
async function* bytesOf(file: string, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    if (!(chunk instanceof Uint8Array)) throw new Error('import: a file was read as text');
    count(chunk.length);
    yield chunk;
  }
}

/** Opens the input of a command line. Throws {@link UsageError}. */
export function openInput(file: string, standardInput: AsyncIterable<Uint8Array> | undefined): Input {
  if (file === '-') {
    if (standardInput === undefined) throw new UsageError('there is no standard input');
    return { name: 'standard input', chunks: standardInput, share: () => undefined };
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
  const chunks = bytesOf(file, (bytes) => {
    read += bytes;
  });
  return { name: file, chunks, share: () => (size === 0 ? undefined : read / size) };
}
