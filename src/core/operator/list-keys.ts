import type { ApplicationStore } from '../applications/application-store.ts';
import type { ApplicationKey } from '../applications/application-key.ts';
import type { Clock } from '../shared/clock.ts';

export interface ListKeysDeps {
  readonly applicationStore: Pick<ApplicationStore, 'list' | 'lastUses'>;
  readonly clock: Clock;
}

export interface KeyFilter {
  /** Only keys that were created longer ago, in ms. */
  readonly olderThanMs?: number | undefined;
  /** Only keys whose last known use, or creation if there is none, is longer ago, in ms. */
  readonly unusedForMs?: number | undefined;
}

/** A key, with the application whose rights it has. */
export interface ListedKey extends Omit<ApplicationKey, 'hash'> {
  readonly applicationId: string;
  readonly applicationName: string;
  readonly lastUsedOn?: string;
}

/** One page of keys: the newest applications come first. */
export interface KeysStep {
  readonly keys: readonly ListedKey[];
  /** The application after which the next step continues; absent after the last. */
  readonly next?: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Lists the keys of one page of a tenant's applications after one of them. */
export async function listKeysStep(
  { applicationStore, clock }: ListKeysDeps,
  tenantId: string,
  { olderThanMs = 0, unusedForMs = 0 }: KeyFilter,
  after: string | undefined,
): Promise<KeysStep> {
  const now = clock();
  // A use is known by its day: it may have been at the end of it.
  const lastUse = ({ createdAt }: ApplicationKey, day: string | undefined) =>
    day === undefined ? createdAt : Date.parse(day) + DAY_MS;
  for await (const applications of applicationStore.list(tenantId, after)) {
    const listed = await Promise.all(
      applications.map(async (application) => {
        const old = application.keys.filter(({ createdAt }) => createdAt <= now - olderThanMs);
        const uses = await applicationStore.lastUses({ ...application, keys: old });
        return old
          .filter((key) => unusedForMs === 0 || lastUse(key, uses.get(key.id)) <= now - unusedForMs)
          .map(({ hash: _, ...key }): ListedKey => {
            const lastUsedOn = uses.get(key.id);
            return {
              ...key,
              applicationId: application.id,
              applicationName: application.name,
              ...(lastUsedOn !== undefined && { lastUsedOn }),
            };
          });
      }),
    );
    const last = applications.at(-1);
    return { keys: listed.flat(), ...(last !== undefined && { next: last.id }) };
  }
  return { keys: [] };
}
