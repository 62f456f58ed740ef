import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { z } from 'zod';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import { UsageError } from './failures.ts';
import { localOption } from './local-file.ts';
import { filled } from './values.ts';
import type { Surroundings } from './surroundings.ts';

/** Where a service is, and the key that a command shows it. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headerPrefix: string;
  /** Names the source of the key in messages, which never have the key. */
  readonly keySource: string;
}

/** The options of a connection, as commander names them. */
export interface ConnectionFlags {
  readonly keyFrom?: string;
  readonly url?: string;
  readonly local?: string;
  readonly headerPrefix: string;
}

type Environment = Surroundings['environment'];

/** Reads the text of a secret by its name. */
type ReadSecret = (name: string) => Promise<string | undefined>;

const DEFAULT_SOURCE = 'env:CLOAKROOM_API_KEY';

function prefixOf(text: string): string {
  if (/^[a-z][a-z\d]{0,19}$/i.test(text)) return text;
  throw new UsageError('--header-prefix must be 1 to 20 letters and digits, and begin with a letter');
}

/**
 * Options for an address and a key. The key is none of them, because other users of the machine see
 * the command lines of processes, and a shell stores them.
 */
export const connectionOptions = (): readonly Option[] => [
  new Option(
    '--key-from <SOURCE>',
    `the API key: env:NAME, file:PATH or aws-secret:NAME (default ${DEFAULT_SOURCE})`,
  ).argParser(filled('key-from')),
  new Option('--url <URL>', 'address of the service (default: CLOAKROOM_URL of the environment)').argParser(
    filled('url'),
  ),
  localOption(),
  new Option('--header-prefix <NAME>', 'prefix of the reserved headers').default('SVC').argParser(prefixOf),
];

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function addressOf(text: string, name: string): string {
  if (!URL.canParse(text)) throw new UsageError(`${name}: ${text} is not a URL`);
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') throw new UsageError(`${name}: the URL must not have a password`);
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) return text;
  throw new UsageError(`${name}: ${text} must begin with https://, since the key goes there`);
}

const stored = z.object({ key: z.string().optional(), management_key: z.string().optional() });

/** Finds the key in a text, which may be JSON as the operator stores it. */
function keyIn(text: string, source: string): string {
  let key = text.trim();
  if (key.startsWith('{')) {
    let content: unknown;
    try {
      content = JSON.parse(key);
    } catch {
      // The parser's message may quote a part of the key.
    }
    const { data } = stored.safeParse(content);
    key = data?.key ?? data?.management_key ?? '';
  }
  if (key === '') throw new UsageError(`${source} has no key`);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError(`${source} has something other than a key`);
  return key;
}

function textOf(file: string, source: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${source} cannot be read (${String(errorCode(error))})`);
  }
}

/** Reads a secret with the AWS credentials of the environment. */
async function awsSecret(name: string): Promise<string | undefined> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  try {
    const { SecretString } = await new SecretsManagerClient().send(
      new GetSecretValueCommand({ SecretId: name }),
    );
    return SecretString;
  } catch (error) {
    const { name: code = '', message = '' } = error as Partial<Error>;
    throw new UsageError(`aws-secret:${name} cannot be read: ${code === 'Error' ? message : code}`);
  }
}

async function keyFrom(source: string, environment: Environment, readSecret: ReadSecret): Promise<string> {
  // A name that no variable can have may be a pasted key.
  const [, kind, name = ''] = /^(env(?=:[A-Za-z_]\w*$)|file|aws-secret):(.+)$/.exec(source) ?? [];
  // The text may be a key, which a message must not show.
  if (kind === undefined) throw new UsageError('--key-from must be env:NAME, file:PATH or aws-secret:NAME');
  if (kind === 'file') return keyIn(textOf(resolve(name), source), source);
  if (kind === 'aws-secret') return keyIn((await readSecret(name)) ?? '', source);
  return keyIn(environment[name] ?? '', source);
}

const localService = z.object({ base_url: z.string(), management_key: z.string() });

function localServiceOf(file: string): z.output<typeof localService> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`--local: ${file} cannot be read: is the service running (cloakroom start)?`);
  }
  try {
    return localService.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`--local: ${file} is no credentials file of cloakroom start`);
  }
}

/** Whether the command line or the environment names a key. */
export const hasKey = ({ keyFrom: source, local }: ConnectionFlags, environment: Environment): boolean =>
  source !== undefined || local !== undefined || (environment['CLOAKROOM_API_KEY'] ?? '') !== '';

function addressIn(url: string | undefined, environment: Environment): string {
  if (url !== undefined) return addressOf(url, '--url');
  const { CLOAKROOM_URL: address = '' } = environment;
  if (address === '') throw new UsageError('no address: set CLOAKROOM_URL, or use --url or --local');
  return addressOf(address, 'CLOAKROOM_URL');
}

/** Resolves with the connection of a command line. Rejects with {@link UsageError}. */
export async function connectionOf(
  { keyFrom: source, url, local, headerPrefix }: ConnectionFlags,
  environment: Environment,
  { readSecret = awsSecret }: { readSecret?: ReadSecret } = {},
): Promise<Connection> {
  if (local === undefined) {
    const baseUrl = addressIn(url, environment);
    const keySource = source ?? DEFAULT_SOURCE;
    return { baseUrl, apiKey: await keyFrom(keySource, environment, readSecret), headerPrefix, keySource };
  }
  if (url !== undefined) throw new UsageError('--url and --local exclude each other');
  const { base_url: baseUrl, management_key: managementKey } = localServiceOf(local);
  // The file may be that of a folder from elsewhere, and a key goes to its address.
  if (!URL.canParse(baseUrl) || !LOOPBACK.test(new URL(baseUrl).hostname))
    throw new UsageError(`--local: ${local} names an address that is not on this machine`);
  const apiKey = source === undefined ? managementKey : await keyFrom(source, environment, readSecret);
  return { baseUrl, apiKey, headerPrefix, keySource: source ?? local };
}
