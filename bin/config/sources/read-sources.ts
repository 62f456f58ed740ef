import { Secret } from '../../../src/core/shared/secret.ts';
import type { Surroundings } from '../../command-line/surroundings.ts';
import { NamedFileError, readBelow } from '../file/named-files.ts';
import { addressOf } from '../file/names.ts';
import { labelOf, type Address, type Desired, type DesiredValue, type Source } from '../model.ts';
import { codeOf, type Secrets, type StoredSecret } from '../secrets.ts';

/** A value that an apply sends. */
export interface ReadValue {
  readonly text: Secret<string>;
  readonly public: boolean;
  /** The label that goes beside it. */
  readonly label: string | undefined;
}

/** The values of each proxy and reactor that is written, by their names. */
export type Values = ReadonlyMap<Address, ReadonlyMap<string, ReadValue>>;

export interface SourcePlaces {
  readonly environment: Surroundings['environment'];
  /** Files are below it. */
  readonly folder: string;
  readonly secrets: Pick<Secrets, 'read'>;
}

/** Values are smaller, as the service limits them. */
const VALUE_MAX_BYTES = 100_000;

/** The reason why a source cannot be read, which has nothing of a value. */
class UnreadableSource extends Error {}

function fileText(folder: string, name: string): string {
  try {
    const bytes = readBelow(folder, name, VALUE_MAX_BYTES);
    // An editor ends the last line of a file.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch (error) {
    if (error instanceof NamedFileError) throw new UnreadableSource(error.message);
    if (error instanceof TypeError) throw new UnreadableSource('is not UTF-8');
    throw error;
  }
}

/** Reads each secret of AWS once, so that all values of one apply are of one version. */
function secretReader({ read }: Pick<Secrets, 'read'>) {
  const found = new Map<string, StoredSecret | undefined>();
  return async (name: string): Promise<StoredSecret> => {
    if (!found.has(name))
      try {
        found.set(name, await read(name));
      } catch (error) {
        throw new UnreadableSource(`cannot be read (${codeOf(error)})`);
      }
    const secret = found.get(name);
    if (secret === undefined) throw new UnreadableSource('does not exist, or has no value');
    return secret;
  };
}

/** An object has more members than its own. */
const variable = (environment: Reading['environment'], name: string): string =>
  Object.hasOwn(environment, name) ? (environment[name] ?? '') : '';

type Reading = Pick<SourcePlaces, 'environment' | 'folder'> & {
  readonly secretOf: (name: string) => Promise<StoredSecret>;
};

async function textOf(source: Source, { environment, folder, secretOf }: Reading): Promise<StoredSecret> {
  if (source.kind === 'literal') return { text: source.text, version: '' };
  if (source.kind === 'aws-secret') return await secretOf(source.name);
  const text = source.kind === 'file' ? fileText(folder, source.name) : variable(environment, source.name);
  if (text === '') throw new UnreadableSource(source.kind === 'file' ? 'is empty' : 'is not set');
  return { text, version: '' };
}

async function readValue(value: DesiredValue, reading: Reading): Promise<ReadValue> {
  const { text, version } = await textOf(value.source, reading);
  const label = value.source.kind === 'aws-secret' ? { label: version } : {};
  return {
    text: new Secret(text),
    public: value.public,
    label: labelOf({ ...value, ...label }),
  };
}

/**
 * Reads the values of these proxies and reactors. `problems` has the sources that cannot be read:
 * nothing is written then.
 */
export async function readSources(
  { proxies, reactors }: Desired,
  addresses: ReadonlySet<Address>,
  places: SourcePlaces,
): Promise<{ readonly values: Values; readonly problems: readonly string[] }> {
  const reading = { ...places, secretOf: secretReader(places.secrets) };
  const values = new Map<Address, ReadonlyMap<string, ReadValue>>();
  const problems: string[] = [];
  for (const [address, { configuration }] of [
    ...[...proxies].map(([name, proxy]) => [addressOf('proxies', name), proxy] as const),
    ...[...reactors].map(([name, reactor]) => [addressOf('reactors', name), reactor] as const),
  ]) {
    if (!addresses.has(address)) continue;
    const read = new Map<string, ReadValue>();
    for (const [name, value] of configuration)
      try {
        read.set(name, await readValue(value, reading));
      } catch (error) {
        if (!(error instanceof UnreadableSource)) throw error;
        const { source } = value;
        const shown = source.kind === 'literal' ? 'a literal' : `${source.kind}:${source.name}`;
        problems.push(`${address}: ${name}: ${shown} ${error.message}`);
      }
    values.set(address, read);
  }
  return { values, problems };
}
