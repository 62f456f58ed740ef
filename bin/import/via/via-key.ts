import { isIPv4 } from 'node:net';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { UsageError } from '../../command-line/failures.ts';

/** Makes and deletes keys of applications. Each call rejects as the SDK does. */
export interface KeyMaker {
  readonly retrieve: (application: string) => Promise<JsonObject>;
  readonly createKey: (
    application: string,
    body: {
      readonly name: string;
      readonly expires_at: string;
      readonly source_addresses: readonly string[];
    },
  ) => Promise<{ readonly id: string; readonly key: string }>;
  readonly deleteKey: (application: string, key: string) => Promise<void>;
}

export interface WantedKey {
  /** The id of a public application that may only create tokens. */
  readonly application: string;
  /** The addresses or networks from which the other vault sends. */
  readonly addresses: readonly string[];
  readonly hours: number;
}

/** The other vault sees the key, so it lives no longer. */
export const HOURS_MAX = 168;

const HOUR_MS = 3_600_000;
const CREATE = 'token:create';
/** A network of fewer bits is none of one service. */
const BITS_MIN = { v4: 16, v6: 32 } as const;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the permissions of an application, its own and those of its rules. */
function permissionsOf({ permissions, rules }: JsonObject): readonly unknown[] {
  const ofRules = listOf(rules).flatMap((rule) => listOf((rule as JsonObject)['permissions']));
  return [...listOf(permissions), ...ofRules];
}

/** Why the key of an application may not be shown to another vault; `undefined` if it may. */
export function problemOfApplication(application: JsonObject): string | undefined {
  if (application['type'] !== 'public')
    return 'is not of the type public: the other vault sees its key, and must not get more by it';
  const permissions = permissionsOf(application);
  if (permissions.length === 0 || permissions.some((permission) => permission !== CREATE))
    return `must have the permission ${CREATE} and no other`;
  return undefined;
}

function problemOfNetwork(network: string): string | undefined {
  const [address = '', bits] = network.split('/');
  if (bits === undefined) return undefined;
  const least = isIPv4(address) ? BITS_MIN.v4 : BITS_MIN.v6;
  return Number(bits) >= least ? undefined : `${network} is wider than /${String(least)}`;
}

function checkWanted({ addresses, hours }: WantedKey): void {
  if (addresses.length === 0)
    throw new UsageError('--via needs --via-address: the networks from which the other vault sends');
  const problem = addresses.map(problemOfNetwork).find((each) => each !== undefined);
  if (problem !== undefined) throw new UsageError(`--via-address: ${problem}`);
  if (!(hours > 0 && hours <= HOURS_MAX))
    throw new UsageError(`--via-hours must be 1 to ${String(HOURS_MAX)}`);
}

/** A key that only creates tokens, only from another vault, and only for some hours. */
export interface ViaKey {
  readonly key: Secret<string>;
  /** Deletes it. */
  readonly end: () => Promise<void>;
}

/**
 * Makes the key of an import through another vault. No other key is ever sent there. Rejects with
 * {@link UsageError} for an application whose keys can do more.
 */
export async function makeViaKey(maker: KeyMaker, wanted: WantedKey, now: number): Promise<ViaKey> {
  checkWanted(wanted);
  const { application, addresses, hours } = wanted;
  const problem = problemOfApplication(await maker.retrieve(application));
  if (problem !== undefined) throw new UsageError(`--via-application: ${application} ${problem}`);
  const { id, key } = await maker.createKey(application, {
    name: 'import through another vault',
    expires_at: new Date(now + hours * HOUR_MS).toISOString(),
    source_addresses: addresses,
  });
  return { key: new Secret(key), end: () => maker.deleteKey(application, id) };
}
