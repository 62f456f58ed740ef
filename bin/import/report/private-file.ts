import { closeSync, fchmodSync, openSync, renameSync, writeSync } from 'node:fs';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { CommandFailure, UsageError } from '../../command-line/failures.ts';

/** A file that only its owner may read, written line by line. */
export interface PrivateFile {
  readonly write: (text: string) => void;
  readonly close: () => void;
}

/** Opens a file that replaces an earlier one. Throws {@link UsageError} with the option's name. */
export function openPrivateFile(path: string, option: string): PrivateFile {
  let file: number;
  try {
    file = openSync(path, 'w', 0o600);
    fchmodSync(file, 0o600);
  } catch (error) {
    throw new UsageError(`--${option} ${path} cannot be written (${String(errorCode(error))})`);
  }
  return {
    write: (text) => {
      try {
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      } catch (error) {
        throw new CommandFailure(`${path} cannot be written (${String(errorCode(error))})`);
      }
    },
    close: () => {
      closeSync(file);
    },
  };
}

/** Opens a file that takes its place once it is whole. */
export function openWholeFile(path: string, option: string): PrivateFile {
  const partial = `${path}.partial`;
  const file = openPrivateFile(partial, option);
  return {
    write: file.write,
    close: () => {
      file.close();
      renameSync(partial, path);
    },
  };
}

/** Quotes a field of CSV as RFC 4180 says. */
export const csvField = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
