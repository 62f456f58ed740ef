import { constants } from 'node:fs';
import { READABLE } from '../readable-paths.ts';
import { realPathOf, shownAbove } from './natives.ts';
import { apply, includes, isUint8Array, resolvePath, startsWith, utf8Slice } from './primordials.ts';

/**
 * `look` at the metadata, `read` or `write` the content, `change` the target or metadata of a name.
 */
export type Access = 'look' | 'read' | 'write' | 'change';

/** The path that an argument names; `undefined` for anything that is no path. */
export function textOf(input: unknown): string | undefined {
  const text = isUint8Array(input) ? apply(utf8Slice, input, []) : input;
  return typeof text === 'string' && !includes(text, '\0') ? text : undefined;
}

/** The code may replace `process.cwd`, which `resolve` would call. */
const HERE = process.cwd();

const isWithin = (file: string, folder: string): boolean => file === folder || startsWith(file, `${folder}/`);

/**
 * The path that an operation may use for the requested one, absolute and without `..`; `undefined`
 * if it may not.
 */
export type PermittedPath = (input: unknown, access: Access) => string | undefined;

export function permittedPaths(temp: string, readable: readonly string[]): PermittedPath {
  const roots = [...readable, ...READABLE];

  const isReadable = (file: string): boolean => {
    for (let at = 0; at < roots.length; at += 1) if (isWithin(file, roots[at] ?? '')) return true;
    return false;
  };

  /** The folders above a readable path are visible: `realpath` and `mkdir -p` look at them. */
  const isAbove = (file: string): boolean => {
    for (let at = 0; at < roots.length; at += 1) if (isWithin(roots[at] ?? '', file)) return true;
    return file === '/' || isWithin(temp, file);
  };

  const isOpen = (file: string, access: Access): boolean =>
    isReadable(file) || (access === 'look' && isAbove(file));

  return (input, access) => {
    const text = textOf(input);
    if (text === undefined) return undefined;
    const full = resolvePath(HERE, text);
    // There are no links here: reactor code cannot create any.
    if (startsWith(full, `${temp}/`)) return full;
    if (access === 'write') return full === '/dev/null' ? full : undefined;
    if (access === 'change') return undefined;
    if (full === temp) return full;
    if (!isOpen(full, access)) return undefined;
    const real = realPathOf(full);
    // It does not exist; the operation will report that. It cannot appear, since reactor code
    // writes only to the temp folder.
    if (real !== undefined && !isOpen(real, access)) return undefined;
    return isReadable(full) ? full : shownAbove(full, temp);
  };
}

const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = constants;

/** The access that opening with these flags needs. */
export const accessOf = (flags: unknown): Access =>
  typeof flags === 'number' && (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) === 0
    ? 'read'
    : 'write';
