import { createObject, slice, startsWith } from './primordials.ts';

/**
 * The built-ins that reactor code may require, also as `node:<name>`. No Node.js has
 * all of them. All others are refused; `REFUSED` has the reasons.
 */
export const ALLOWED: readonly string[] = [
  'assert',
  'assert/strict',
  'async_hooks',
  'buffer',
  'console',
  'constants',
  'crypto',
  'dgram',
  'diagnostics_channel',
  'dns',
  'dns/promises',
  'events',
  'fs',
  'fs/promises',
  'http',
  'http2',
  'https',
  'net',
  'os',
  'path',
  'path/posix',
  'path/win32',
  'perf_hooks',
  'process',
  'punycode',
  'querystring',
  'readline',
  'readline/promises',
  'stream',
  'stream/consumers',
  'stream/promises',
  'stream/web',
  'string_decoder',
  'timers',
  'timers/promises',
  'tls',
  'tty',
  'url',
  'util',
  'util/types',
  'zlib',
];

/** The reason for which a built-in is refused; for the message and for docs/reactors.md. */
export const REFUSED: Readonly<Record<string, string>> = {
  child_process: 'there are no other processes',
  cluster: 'there are no other processes',
  domain: 'it is deprecated',
  inspector: 'it debugs the whole process',
  'inspector/promises': 'it debugs the whole process',
  module: 'it loads code beneath the checks',
  repl: 'there is no terminal',
  sea: 'there is no such program',
  sqlite: 'it opens files beneath the checks',
  test: 'it starts other processes',
  'test/reporters': 'it starts other processes',
  trace_events: 'it traces the whole process',
  v8: 'it changes the whole process',
  vm: 'it loads compiled code unchecked',
  wasi: 'it opens files beneath the checks',
  worker_threads: 'a reactor has one thread',
};

/** The built-in for `require(specifier)`, or `undefined` if reactor code may not have it. */
export function builtInsFor(
  temp: () => string,
  exists: (name: string) => boolean,
): (specifier: string) => unknown {
  // Objects without a prototype instead of a Set: reactor code may have replaced
  // `Set.prototype.has`.
  const allowed = createObject(null) as Record<string, true>;
  for (const name of ALLOWED) if (exists(name)) allowed[name] = true;
  const loaded = createObject(null) as Record<string, unknown>;
  const load = require;
  return (specifier) => {
    const name = startsWith(specifier, 'node:') ? slice(specifier, 5) : specifier;
    if (allowed[name] !== true) return undefined;
    if (loaded[name] !== undefined) return loaded[name];
    const exported = load(name) as Record<string, unknown>;
    if (name === 'os') exported['tmpdir'] = temp;
    return (loaded[name] = exported);
  };
}
