import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

export const USAGE =
  'npm run contract -- --url URL [--management-key KEY] [--only SUITE]...\n' +
  'CLOAKROOM_MANAGEMENT_KEY is the key if the option is absent: npm prints its command line, and\n' +
  'other processes can read it.';

export interface ContractOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly managementKey: string;
  /** Paths of test files, relative to the repository. */
  readonly suites: readonly string[];
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const nameOf = (file: string): string => basename(file, '.test.ts');

/** Throws an Error fit for the terminal for an address to which a key must not be sent. */
function baseOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.href !== `${url.origin}/`)
    throw new Error('--url takes the address of a deployment, without a path');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.has(url.hostname)))
    throw new Error('--url must be https, except for a service on this machine');
  return url.origin;
}

function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        'management-key': { type: 'string' },
        only: { type: 'string', multiple: true, default: [] },
      },
    }).values;
  } catch {
    // The message of Node.js repeats the arguments, one of which may be the key.
    throw new Error('the command line has an unknown or incomplete option');
  }
}

/** Reads the command line. Throws an Error fit for the terminal; it never contains the key. */
export function contractOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ContractOptions {
  const values = valuesOf(args);
  if (values.url === undefined) throw new Error('--url is missing');
  const managementKey = values['management-key'] ?? env['CLOAKROOM_MANAGEMENT_KEY'] ?? '';
  if (managementKey === '') throw new Error('set CLOAKROOM_MANAGEMENT_KEY, or use --management-key');
  // An error about a header would quote it.
  if (!/^[\x21-\x7e]+$/.test(managementKey)) throw new Error('the management key is not one line of a key');
  const all = globSync('test/interface/*.test.ts').toSorted();
  const unknown = values.only.filter((name) => !all.some((file) => nameOf(file) === name));
  if (unknown.length > 0) throw new Error(`no suite ${unknown.join()}. Suites: ${all.map(nameOf).join(' ')}`);
  const suites = values.only.length === 0 ? all : all.filter((file) => values.only.includes(nameOf(file)));
  return { url: baseOf(values.url), managementKey, suites };
}
