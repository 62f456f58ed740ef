import { constants } from 'node:fs';
import { binding } from './bindings.ts';
import {
  apply,
  createObject,
  includes,
  isUint8Array,
  resolvePath,
  startsWith,
  utf8Slice,
  type Method,
} from './primordials.ts';

/**
 * `look` at the metadata, `read` or `write` the content, `change` the target or metadata of a name.
 */
export type Access = 'look' | 'read' | 'write' | 'change';

/** Besides the temp folder, the author's code and the layer: certificates, names and time zones. */
const READABLE = [
  '/etc/ssl/certs',
  '/etc/ssl/cert.pem',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/tls/openssl.cnf',
  '/etc/hosts',
  '/etc/resolv.conf',
  '/etc/localtime',
  '/usr/share/zoneinfo',
  '/usr/share/ca-certificates',
  '/usr/share/pki',
  '/usr/lib/ssl',
  '/dev/null',
  '/dev/random',
  '/dev/urandom',
] as const;

const realPath = binding('fs')['realpath'] as Method;

function textOf(input: unknown): string | undefined {
  const text = isUint8Array(input) ? apply(utf8Slice, input, []) : input;
  return typeof text === 'string' && !includes(text, '\0') ? text : undefined;
}

const isWithin = (file: string, folder: string): boolean => file === folder || startsWith(file, `${folder}/`);

/** The target of links; `undefined` if it does not exist. */
function realOf(file: string): string | undefined {
  const found: unknown = apply(realPath, undefined, [file, 'utf8', undefined, createObject(null)]);
  return typeof found === 'string' ? found : undefined;
}

/**
 * The path that an operation may use for the requested one, absolute and without `..`; `undefined`
 * if it may not.
 */
export type PermittedPath = (input: unknown, access: Access) => string | undefined;

export function permittedPaths(temp: string, readable: readonly string[]): PermittedPath {
  const roots = [...readable, ...READABLE];

  const isReadable = (file: string, access: Access): boolean => {
    for (let at = 0; at < roots.length; at += 1) {
      const root = roots[at] ?? '';
      if (isWithin(file, root)) return true;
      // The folders above a readable path are visible: `realpath` and `mkdir -p` look at them.
      if (access === 'look' && (file === '/' || isWithin(root, file))) return true;
    }
    return access === 'look' && (file === '/' || isWithin(temp, file));
  };

  return (input, access) => {
    const text = textOf(input);
    if (text === undefined) return undefined;
    const full = resolvePath(text);
    // There are no links here: reactor code cannot create any.
    if (startsWith(full, `${temp}/`)) return full;
    if (access === 'write') return full === '/dev/null' ? full : undefined;
    if (access === 'change') return undefined;
    if (full === temp) return full;
    if (!isReadable(full, access)) return undefined;
    const real = realOf(full);
    // It does not exist; the operation will report that. It cannot appear, since reactor code
    // writes only to the temp folder.
    return real === undefined || isReadable(real, access) ? full : undefined;
  };
}

const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = constants;

/** The access that opening with these flags needs. */
export const accessOf = (flags: unknown): Access =>
  typeof flags === 'number' && (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) === 0
    ? 'read'
    : 'write';
