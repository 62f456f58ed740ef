import { RETIRED_MS } from '../access/credential-store.ts';
import { Secret } from '../shared/secret.ts';
import type { HiddenValue } from './form-search.ts';
import { countedBytes } from './configuration-size.ts';
import { STORED_PROXY_LIMITS, type ProxyConfiguration, type RetiredSecrets } from './stored-proxy.ts';

/** The values of a configuration that are not public. */
export const secretsOf = (configuration: ProxyConfiguration): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(configuration).flatMap(([name, { value, isPublic }]) => (isPublic ? [] : [[name, value]])),
  );

const bytesOf = ({ values }: RetiredSecrets): number =>
  Object.entries(values).reduce(
    (sum, [name, value]) => sum + countedBytes([name, { value, isPublic: false }]),
    0,
  );

/** A change of a configuration has this effect on the secrets that a proxy had. */
export interface Retirement {
  /** The change makes the configuration of `before` the one of `after`. */
  readonly before: Secret<ProxyConfiguration>;
  readonly after: Secret<ProxyConfiguration>;
  /** Whether the change sets secrets. It is then sent all of them, and none is compared. */
  readonly setsSecrets: boolean;
  /** The origin of the destination, and the application that set the secrets, before the change. */
  readonly origin: string;
  readonly author: string;
}

/**
 * The secrets that a proxy had, oldest first, after a change: those of before that the change
 * replaced, dropped or made public join them for 30 days. Beyond the limit the oldest are
 * forgotten, because a leaked secret must be replaceable at any time.
 */
export function retire(
  retired: Secret<readonly RetiredSecrets[]>,
  { before, after, setsSecrets, origin, author }: Retirement,
  now: number,
): { readonly retired: Secret<readonly RetiredSecrets[]>; readonly hasForgotten: boolean } {
  const left = setsSecrets ? {} : secretsOf(after.reveal());
  const values = Object.fromEntries(
    Object.entries(secretsOf(before.reveal())).filter(([name]) => !Object.hasOwn(left, name)),
  );
  const known = retired.reveal().filter(({ until }) => until > now);
  const all =
    Object.keys(values).length === 0
      ? known
      : [...known, { origin, author, until: now + RETIRED_MS, values }];
  let bytes = all.reduce((sum, each) => sum + bytesOf(each), 0);
  const remembered = all.filter((each) => {
    if (bytes <= STORED_PROXY_LIMITS.retiredBytes) return true;
    bytes -= bytesOf(each);
    return false;
  });
  return { retired: new Secret(remembered), hasForgotten: remembered.length < all.length };
}

/**
 * All secrets that responses of an origin must not have, those of now included. Who may change a
 * proxy knows none of them, but can set values beside them: guesses at secrets of before, and at
 * those to come. A gap for both would confirm a guess, and the service cannot tell the guess from
 * the secret. So a response is refused that has a secret which one of their authors did not set.
 */
export function hiddenValues(
  configuration: Secret<ProxyConfiguration>,
  retired: Secret<readonly RetiredSecrets[]>,
  { origin, author, now }: { readonly origin: string; readonly author: string; readonly now: number },
): readonly HiddenValue[] {
  const before = retired.reveal().filter((each) => each.origin === origin && each.until > now);
  const sets = [...before, { author, values: secretsOf(configuration.reveal()) }].filter(
    ({ values }) => Object.keys(values).length > 0,
  );
  const authors = new Set(sets.map((each) => each.author));
  const all = sets.flatMap((each) =>
    Object.entries(each.values).map(([name, value]) => ({ name, value, author: each.author })),
  );
  return [...Map.groupBy(all, ({ value }) => value)].map(([value, same]) => ({
    name: same.at(-1)?.name ?? '',
    value,
    isRefused: new Set(same.map((each) => each.author)).size < authors.size,
  }));
}
