import { randomUUID } from 'node:crypto';
import { changeProxy } from '../../src/core/stored-proxies/change-proxy.ts';
import { createProxy } from '../../src/core/stored-proxies/create-proxy.ts';
import type { ProxyChange } from '../../src/core/stored-proxies/proxy-change.ts';
import { callProxy } from '../../src/core/stored-proxies/call-proxy.ts';
import { openProxy } from '../../src/core/stored-proxies/open-proxy.ts';
import type {
  ProxyDefinition,
  RequestTransform,
  StoredProxy,
} from '../../src/core/stored-proxies/stored-proxy.ts';
import { contentOfText } from '../../src/core/shared/content.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { createProxyStore } from '../../src/adapters/dynamodb/proxy-store.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { TENANT } from '../core/reactors/a-reactor-world.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { aProxyWorld, CALL, callerWith } from './a-proxy-world.ts';

/*
 * docs/security.md#invariants-between-callers: two worlds differ in the secrets that the owner of a
 * proxy sets, one after the other. An application that may change the proxy too, and knows none of
 * them, sees no difference, through any history of changes and calls, whatever secret of today or
 * of the last 30 days a destination shows, in whatever form.
 */

const DAY_MS = 24 * 60 * 60 * 1000;

const FORMS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => encodeURIComponent(secret),
  (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  (secret) => Buffer.from(`user:${secret}`).toString('base64'),
  (secret) => `50%${Buffer.from(secret).toString('base64')}`,
];
const BEFORE = ['', 'Bearer ', '"auth":"', 'Basic ', 'x'.repeat(20), '%7B%22a%22%3A%22'];

/** A caller who does not know the secret does one of these. */
type Act =
  | { readonly act: 'set'; readonly name: string; readonly cut: Cut }
  | { readonly act: 'drop'; readonly name: string; readonly isPublic: boolean }
  | { readonly act: 'define'; readonly change: Partial<ProxyDefinition> }
  | {
      readonly act: 'call';
      readonly form: number;
      readonly before: number;
      readonly echo: boolean;
      /** Which secret the destination shows: the one of today, or one so many before it. */
      readonly age: number;
    }
  | { readonly act: 'pass'; readonly days: number }
  /** Sets as much as a proxy remembers. */
  | { readonly act: 'flush' }
  /** The owner sets the secret again, or another one. */
  | { readonly act: 'rotate'; readonly isNew: boolean };

/** A guess is cut from here: it is a part of the secret of today, or of the next one. */
interface Cut {
  readonly from: number;
  readonly length: number;
  readonly before: number;
  readonly isNext: boolean;
}

const names = fc.constantFrom('K', 'L', 'M');
const header = (name: string, value: string): RequestTransform => ({ type: 'append_header', name, value });
const definitions: readonly Partial<ProxyDefinition>[] = [
  { destinationUrl: 'https://destination.example.com/other' },
  { destinationUrl: 'https://thief.example.com/base' },
  { destinationUrl: 'https://destination.example.com/base' },
  { clientCertificate: 'K' },
  {
    requestTransforms: [{ type: 'verify_signature', scheme: 'stripe', configuration: 'K' }],
  },
  { requestTransforms: [header('x-key', '{{ configuration.K }}')] },
  { requestTransforms: [header('x-key', '{{ configuration.K }}'), header('x-2', '{{ configuration.K }}')] },
  { requestTransforms: [header('x-key', 'a{{ configuration.K }}{{ configuration.L }}')] },
  { requestTransforms: [] },
  { responseTransforms: [{ type: 'append_header', name: 'x', value: 'y' }] },
];
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('set' as const),
      name: names,
      cut: fc.record({
        from: fc.nat(30),
        length: fc.nat(40),
        before: fc.nat(BEFORE.length - 1),
        isNext: fc.boolean(),
      }),
    }),
  },
  fc.record({ act: fc.constant('drop' as const), name: names, isPublic: fc.boolean() }),
  fc.record({ act: fc.constant('define' as const), change: fc.constantFrom(...definitions) }),
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('call' as const),
      form: fc.nat(FORMS.length - 1),
      before: fc.nat(BEFORE.length - 1),
      echo: fc.boolean(),
      age: fc.nat(2),
    }),
  },
  fc.record({ act: fc.constant('pass' as const), days: fc.nat(12) }),
  fc.record({ act: fc.constant('flush' as const) }),
  { weight: 2, arbitrary: fc.record({ act: fc.constant('rotate' as const), isNew: fc.boolean() }) },
);

/** A guess that is cut out of what the first world's destination shows. It never has all of it. */
function guessOf(secret: string, { from, length, before }: Cut): string {
  const shown = `${BEFORE[before] ?? ''}${secret}`;
  const guess = shown.slice(from, from + Math.min(length, secret.length - 1)).padEnd(16, '-');
  return guess.includes(secret) ? 'g'.repeat(20) : guess;
}

/** The secrets that an owner sets, one after the other. */
const someSecrets = () => Array.from({ length: 10 }, () => `sk_live_${randomUUID().replaceAll('-', '')}`);

async function aWorld(secrets: readonly string[]) {
  const world = await aProxyWorld();
  const time = { now: 1_800_000_000_000 };
  /** The last time at which each secret was in force. It is in ms. */
  const lastIn = new Map<number, number>();
  let today = 0;
  /** Secrets below this number may be forgotten, which the operator knows. */
  let remembered = 0;
  const proxyStore = createProxyStore(world.tables.table('Access'));
  const deps = {
    ...world.deps,
    clock: () => time.now,
    proxyStore,
    reactorStore: { findMany: () => Promise.resolve([]) },
    onSecretsForgotten: () => {
      remembered = today + 1;
    },
  } as unknown as typeof world.deps & Parameters<typeof changeProxy>[0];
  const thief = callerWith({ permissions: ['proxy:create', 'proxy:update', 'token:use'], rules: [] });
  const owner = { ...thief, applicationId: 'owner' };
  const place = { traceId: 't', ownHosts: [], isReserved: () => false };
  const definition: ProxyDefinition = {
    name: 'x',
    destinationUrl: 'https://destination.example.com/base',
    requestTransforms: [header('x-key', '{{ configuration.K }}')],
    responseTransforms: [],
    requireAuth: true,
    sourceAddresses: [],
    timeoutSeconds: 25,
  };
  const valueOf = (index: number) => ({ value: secrets[index] ?? '', isPublic: false });
  const { proxy } = await createProxy(
    deps,
    owner,
    { draft: definition, configuration: new Secret({ K: valueOf(0) }) },
    place,
    randomIdentity(machinePlatform.random),
  );
  const { id } = proxy.stored;
  let isInForce = true;

  async function change(more: Partial<ProxyChange>, by = thief): Promise<unknown> {
    const apply: ProxyChange['apply'] = (previous) =>
      by === owner ? { ...previous, destinationUrl: definition.destinationUrl } : previous;
    await changeProxy(deps, by, id, { apply, replacesConfiguration: false, ...more }, place);
    if (isInForce) lastIn.set(today, time.now);
    if (Object.hasOwn(more.configuration?.reveal() ?? {}, 'K')) isInForce = by === owner;
    return 'changed';
  }

  /** Does something, and returns what it shows. `guess` is the same text in both worlds. */
  async function perform(act: Act, guess: string): Promise<unknown> {
    switch (act.act) {
      case 'set':
        return change({ configuration: new Secret({ [act.name]: { value: guess, isPublic: false } }) });
      case 'drop':
        return change({
          configuration: new Secret({ [act.name]: act.isPublic ? { value: 'x', isPublic: true } : null }),
        });
      case 'define':
        return change({ apply: (previous) => ({ ...previous, ...act.change }) });
      case 'pass':
        time.now += act.days * DAY_MS;
        return undefined;
      case 'flush':
        for (let count = 0; count < 6; count += 1) {
          const value = String(count).repeat(19_000);
          await change({ configuration: new Secret({ K: { value, isPublic: false } }) });
        }
        return 'changed';
      case 'rotate': {
        const next = today + (act.isNew ? 1 : 0);
        const configuration = new Secret({ K: valueOf(next) });
        const changed = await change({ replacesConfiguration: true, configuration }, owner);
        today = next;
        return changed;
      }
      case 'call': {
        const index = Math.max(0, today - act.age);
        const isNow = index === today && isInForce;
        const age = time.now - (lastIn.get(index) ?? time.now);
        if (!isNow && (index < remembered || age >= 30 * DAY_MS)) return 'not shown';
        const shown = `${BEFORE[act.before] ?? ''}${(FORMS[act.form] ?? String)(valueOf(index).value)}`;
        const body = `{"q":"${shown}","g":"${guess}","both":"${guess}${shown}","tail":"abcdefghijklmnop"}`;
        world.state.answer = () => ({
          headers: [
            ['X-Account', shown],
            ['ETag', guess],
          ],
          body: Buffer.from(act.echo ? body : `${shown}${guess}`),
        });
        const found = await openProxy(deps.vault, (await proxyStore.find(TENANT, id)) as StoredProxy);
        // A thief's server is not shown what the proxy does not send to it.
        if (!found.definition.destinationUrl.startsWith('https://destination.')) return 'elsewhere';
        const call = { ...CALL, body: contentOfText(guess) };
        const { headers, body: answer } = await callProxy(deps, thief, found, call);
        return [headers, answer.toString()];
      }
    }
  }

  return async (act: Act, guess: string): Promise<unknown> => {
    try {
      return await perform(act, guess);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return [error.code, error.message, error.errors];
    }
  };
}

it('two worlds that differ in the secrets of an owner look the same to who does not know them', async () => {
  const seen = { '[removed]': 0, configuration_required: 0, changed: 0, transform_failed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 2, maxLength: 8 }), async (history) => {
      const one = someSecrets();
      const other = someSecrets();
      const worlds = await Promise.all([one, other].map(aWorld));
      let guess = 'nothing yet of it';
      let today = 0;
      for (const act of history) {
        if (act.act === 'set') guess = guessOf(one[today + (act.cut.isNext ? 1 : 0)] ?? '', act.cut);
        if (act.act === 'rotate' && act.isNew) today += 1;
        const first = await worlds[0]?.(act, guess);
        const second = await worlds[1]?.(act, guess);
        expect(first).toEqual(second);
        const text = JSON.stringify(first ?? null);
        for (const what of Object.keys(seen) as (keyof typeof seen)[])
          if (text.includes(what)) seen[what] += 1;
      }
    }),
    { numRuns: cases(100) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(cases(100) / 10);
});
