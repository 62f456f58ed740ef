import type { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { ProxyDraft } from './check-proxy.ts';
import { originOf } from './open-proxy.ts';
import type { ProxyChange } from './proxy-change.ts';
import { altersUses } from './secret-uses.ts';
import type { ProxyConfiguration, ProxyDefinition } from './stored-proxy.ts';

/** How often a definition runs each code on each side. */
function runsOf({ requestTransforms, responseTransforms }: ProxyDefinition): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (const [side, transforms] of Object.entries({ requestTransforms, responseTransforms }))
    for (const each of transforms) {
      if (each.type !== 'reactor') continue;
      const run = `${side} ${each.reactorId} ${each.codeHash}`;
      runs.set(run, (runs.get(run) ?? 0) + 1);
    }
  return runs;
}

/** Whether a change runs code that the proxy did not run there before. */
function runsOtherCode(previous: ProxyDefinition, next: ProxyDefinition): boolean {
  const before = runsOf(previous);
  return [...runsOf(next)].some(([run, count]) => count > (before.get(run) ?? 0));
}

/** Whether two destinations have the same scheme, host and port. */
const sameOrigin = (previous: ProxyDefinition, next: ProxyDraft): boolean =>
  !URL.canParse(next.destinationUrl) || originOf(previous) === originOf(next);

const isSetBy =
  ({ configuration }: ProxyChange) =>
  (name: string): boolean =>
    (configuration?.reveal()[name] ?? null) !== null;

/** Whether a change sets a secret: a value that is removed from responses. */
export function setsSecret({ configuration }: ProxyChange): boolean {
  return Object.values(configuration?.reveal() ?? {}).some((value) => value?.isPublic === false);
}

/** The words of the error for a value that a change needs again, with the reason. */
const NEEDS = {
  values: 'A change of the origin or of a reactor needs every value of the configuration again.',
  secrets: 'A change that sets a secret, or alters where or how one is used, needs every secret again.',
} as const;

/**
 * Throws `configuration_required` unless the request has every value again that the proxy has
 * afterwards, or every secret. Who may change proxies is not shown their secrets, and so must not
 * send them on, nor give them another use. So all secrets of a proxy have one author.
 */
function requireConfiguration(
  after: Secret<ProxyConfiguration>,
  { configuration }: ProxyChange,
  what: keyof typeof NEEDS,
): void {
  const sent = new Map(Object.entries(configuration?.reveal() ?? {}));
  const missing = Object.entries(after.reveal())
    .filter(([name, { isPublic }]) => (sent.get(name) ?? null) === null && (what === 'values' || !isPublic))
    .map(([name]) => name);
  if (missing.length === 0) return;
  throw new ServiceError('configuration_required', NEEDS[what], {
    errors: Object.fromEntries(missing.map((name) => [`configuration.${name}`, ['must be sent again']])),
  });
}

/** A proxy that a change has made. */
interface Changed {
  readonly previous: ProxyDefinition;
  readonly before: Secret<ProxyConfiguration>;
  readonly after: Secret<ProxyConfiguration>;
}

/**
 * Throws `configuration_required` unless a change has what its destination, its secrets and their
 * uses need again.
 */
export function requireForUses({ previous, before, after }: Changed, draft: ProxyDraft, change: ProxyChange) {
  if (!sameOrigin(previous, draft)) requireConfiguration(after, change, 'values');
  else if (
    setsSecret(change) ||
    altersUses(previous, before.reveal(), draft, after.reveal(), isSetBy(change))
  )
    requireConfiguration(after, change, 'secrets');
}

/** Throws `configuration_required` unless a change that runs other code has every value again. */
export function requireForCode({ previous, after }: Changed, next: ProxyDefinition, change: ProxyChange) {
  if (runsOtherCode(previous, next)) requireConfiguration(after, change, 'values');
}
