import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';

/** The message of a path that a file must not name, or of a file that cannot be read. */
export class NamedFileError extends Error {}

const PATH_MAX_LENGTH = 500;

/** The parts of a path below the folder. Throws {@link NamedFileError} for any other path. */
function partsOf(path: string): readonly string[] {
  const parts = path.replace(/^\.\//, '').split('/');
  if (path.length > PATH_MAX_LENGTH || /[\\:\p{Cc}]/u.test(path))
    throw new NamedFileError('is no path of a file: write its parts with /');
  if (path.startsWith('/')) throw new NamedFileError('must be below the folder of the file, not absolute');
  if (parts.some((part) => part === '..'))
    throw new NamedFileError('must be below the folder of the file, without ..');
  if (parts.some((part) => part === '' || part === '.'))
    throw new NamedFileError('is no path of a file: a part of it is empty');
  return parts;
}

const unreadable = (error: unknown): NamedFileError => {
  const code = errorCode(error);
  return new NamedFileError(code === 'ENOENT' ? 'does not exist' : `cannot be read (${String(code)})`);
};

/**
 * Reads at most `most` bytes of a file that is no link. Throws {@link NamedFileError}, also for a
 * folder, a pipe or a device.
 */
export function readRegularFile(file: string, most: number): Buffer {
  let descriptor: number;
  try {
    // A pipe would wait for a writer, so its kind is read before it is opened.
    if (!lstatSync(file).isFile()) throw new NamedFileError('must be a file that is no link');
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (error instanceof NamedFileError) throw error;
    throw unreadable(error);
  }
  try {
    const { size } = fstatSync(descriptor);
    if (size > most) throw new NamedFileError(`is larger than ${String(most)} bytes`);
    const bytes = Buffer.alloc(most + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (length > most) throw new NamedFileError(`is larger than ${String(most)} bytes`);
    return Buffer.from(bytes.subarray(0, length));
  } finally {
    closeSync(descriptor);
  }
}

/** The spelling of a path by which two are compared: without `./` at its beginning. */
export const normalizedPath = (path: string): string => partsOf(path).join('/');

/**
 * The place of a file below a folder. Every part of the way there must be a folder that is no link:
 * a pull request could otherwise name any file of the machine. Throws {@link NamedFileError}.
 */
export function placeBelow(folder: string, path: string): string {
  const parts = partsOf(path);
  let at = folder;
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    let isFolder: boolean;
    try {
      isFolder = lstatSync(at).isDirectory();
    } catch (error) {
      throw unreadable(error);
    }
    if (!isFolder) throw new NamedFileError('must be in folders that are no links');
  }
  return join(at, parts.at(-1) ?? '');
}

/** Reads a file below a folder. Throws {@link NamedFileError}. */
export const readBelow = (folder: string, path: string, most: number): Buffer =>
  readRegularFile(placeBelow(folder, path), most);
