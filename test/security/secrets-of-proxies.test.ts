import { randomUUID } from 'node:crypto';
import { changeProxy, createProxy, type ProxyChange } from '../../src/core/proxies/change-proxy.ts';
import { callProxy } from '../../src/core/proxies/call-proxy.ts';
import { openProxy } from '../../src/core/proxies/open-proxy.ts';
import type { ProxyStore } from '../../src/core/proxies/proxy-store.ts';
import type {
  ConfigurationValue,
  ProxyDefinition,
  RequestTransform,
  StoredProxy,
} from '../../src/core/proxies/stored-proxy.ts';
import { contentOfText } from '../../src/core/shared/content.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { cases, fc } from '../../packages/local-aws/test/properties.ts';
import { aProxyWorld, CALL, callerWith } from './a-proxy-world.ts';

/*
 * docs/security.md#invariants-between-callers: two worlds differ in one secret of a proxy, of today
 * or of the last 30 days. A caller who does not know it sees no difference, through any history of
 * changes and calls, whatever form of it a destination shows.
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

/** What a caller does who does not know the secret. */
type Act =
  | { readonly act: 'set'; readonly name: string; readonly cut: readonly [number, number, number] }
  | { readonly act: 'drop'; readonly name: string; readonly isPublic: boolean }
  | { readonly act: 'define'; readonly change: Partial<ProxyDefinition> }
  | { readonly act: 'call'; readonly form: number; readonly before: number; readonly echo: boolean }
  | { readonly act: 'pass'; readonly days: number }
  /** The owner, who knows the secret, sets it again. */
  | { readonly act: 'rotate' };

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
      cut: fc.tuple(fc.nat(30), fc.nat(40), fc.nat(5)),
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
    }),
  },
  fc.record({ act: fc.constant('pass' as const), days: fc.nat(12) }),
  fc.record({ act: fc.constant('rotate' as const) }),
);

/** A guess that is cut out of what the first world's destination shows. It never has all of it. */
function guessOf(secret: string, [from, length, before]: readonly [number, number, number]): string {
  const shown = `${BEFORE[before] ?? ''}${secret}`;
  const guess = shown.slice(from, from + Math.min(length, secret.length - 1)).padEnd(16, '-');
  return guess.includes(secret) ? 'g'.repeat(20) : guess;
}

async function aWorld(secret: string) {
  const world = await aProxyWorld();
  const time = { now: machinePlatform.clock() };
  const stored = new Map<string, StoredProxy>();
  const proxyStore = {
    create: (proxy: StoredProxy) => Promise.resolve(stored.set(proxy.id, proxy).has(proxy.id)),
    find: (_tenant: string, id: string) => Promise.resolve(stored.get(id)),
    update(previous: StoredProxy, next: StoredProxy) {
      if (stored.get(next.id) !== previous) return Promise.resolve(false);
      stored.set(next.id, next);
      return Promise.resolve(true);
    },
  } as unknown as ProxyStore;
  const deps = {
    ...world.deps,
    clock: () => time.now,
    proxyStore,
    reactorStore: { findMany: () => Promise.resolve([]) },
    onSecretsForgotten: () => undefined,
  } as unknown as typeof world.deps & Parameters<typeof changeProxy>[0];
  const owner = callerWith({ permissions: ['proxy:create', 'proxy:update', 'token:use'], rules: [] });
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
  const value = { value: secret, isPublic: false };
  const { proxy } = await createProxy(
    deps,
    owner,
    { draft: definition, configuration: new Secret({ K: value }) },
    place,
    randomIdentity(machinePlatform.random),
  );
  const { id } = proxy.stored;
  const values = new Map<string, ConfigurationValue>([['K', value]]);

  async function change(more: Partial<ProxyChange>): Promise<unknown> {
    const apply: ProxyChange['apply'] = (previous) => previous;
    await changeProxy(deps, owner, id, { apply, replacesConfiguration: false, ...more }, place);
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
      case 'rotate':
        values.set('K', { value: secret, isPublic: false });
        return change({
          replacesConfiguration: true,
          configuration: new Secret(Object.fromEntries(values)),
        });
      case 'call': {
        const shown = `${BEFORE[act.before] ?? ''}${(FORMS[act.form] ?? String)(secret)}`;
        const body = `{"q":"${shown}","g":"${guess}","both":"${guess}${shown}","tail":"abcdefghijklmnop"}`;
        world.state.answer = () => ({
          headers: [
            ['X-Account', shown],
            ['ETag', guess],
          ],
          body: Buffer.from(act.echo ? body : `${shown}${guess}`),
        });
        const found = await openProxy(deps.vault, (await proxyStore.find('', id)) as StoredProxy);
        // A thief's server is not shown what the proxy does not send to it.
        if (!found.definition.destinationUrl.startsWith('https://destination.')) return 'elsewhere';
        const call = { ...CALL, body: contentOfText(guess) };
        const { headers, body: answer } = await callProxy(deps, owner, found, call);
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

it('two worlds that differ in one secret of the last 30 days look the same to who does not know it', async () => {
  const seen = { removed: 0, refused: 0, changed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 2, maxLength: 8 }), async (history) => {
      const [one, other] = [0, 1].map(() => `sk_live_${randomUUID().replaceAll('-', '')}`);
      const worlds = await Promise.all([one, other].map((secret) => aWorld(secret ?? '')));
      let guess = 'nothing yet of it';
      let age = 0;
      for (const act of history) {
        if (act.act === 'set') guess = guessOf(one ?? '', act.cut);
        if (act.act === 'rotate') age = 0;
        if (act.act === 'pass') age += act.days;
        if (age >= 30) return;
        const outcomes = [];
        for (const perform of worlds) outcomes.push(await perform(act, guess));
        expect(outcomes[0]).toEqual(outcomes[1]);
        const text = JSON.stringify(outcomes[0] ?? null);
        if (text.includes('[removed]')) seen.removed += 1;
        if (text.includes('configuration_required')) seen.refused += 1;
        if (text.includes('changed')) seen.changed += 1;
      }
    }),
    { numRuns: cases(150) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});
