import { randomUUID } from 'node:crypto';
import type { Way } from '../../src/core/access/access-decision.ts';
import type { AccessRule, Grants } from '../../src/core/access/access-rule.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import { narrowGrants, permissionsBeyond } from '../../src/core/access/delegation.ts';
import {
  forward,
  type ForwardDeps,
  type NamedDestination,
  type ProxyRequest,
} from '../../src/core/proxy-expressions/forward.ts';
import { createReactor } from '../../src/core/reactors/create-reactor.ts';
import { DELIVERY_TRIES, pauseAfter } from '../../src/core/reactors/invocation.ts';
import { getResult } from '../../src/core/reactors/get-result.ts';
import { processInvocation, type ProcessInvocationDeps } from '../../src/core/reactors/process-invocation.ts';
import { react } from '../../src/core/reactors/react.ts';
import {
  reactionReplayOf,
  replayReaction,
  type ReactionReplay,
} from '../../src/core/reactors/replay-reaction.ts';
import { startInvocation, type StartInvocationDeps } from '../../src/core/reactors/start-invocation.ts';
import { contentOfText } from '../../src/core/shared/content.ts';
import { orderedId } from '../../src/core/shared/ordered-id.ts';
import { defined } from '../../src/core/shared/defined.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { createToken } from '../../src/core/tokens/create-tokens.ts';
import { deleteToken } from '../../src/core/tokens/delete-token.ts';
import { updateToken } from '../../src/core/tokens/update-token.ts';
import { createProvenTokenStore } from '../../src/core/tokens/proven-token-store.ts';
import { deliver, type DeliverDeps } from '../../src/core/webhooks/deliver.ts';
import { resendParked, type ParkedDeliveriesDeps } from '../../src/core/webhooks/parked-deliveries.ts';
import { presentFailure } from '../../src/wire/problem.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { referenceDecision } from '../core/applications/reference-decision.ts';
import { aDefinition, aManager, TENANT } from '../core/reactors/a-reactor-world.ts';
import { anInvocationWorld } from '../core/reactors/an-invocation-world.ts';
import { putApplication, tokenStoreOver } from '../support/stores-in-memory.ts';
import { bytesOfBody } from '../../src/core/shared/utf8.ts';

/*
 * docs/security.md#invariants-between-callers: plaintext reaches a destination or a code only if
 * the rule that decides in each container of the token permits this one. Random applications and
 * their sessions use tokens in every way that there is, while their rules change, and tokens move
 * and are deleted. A naive reading of docs/contract.md, without the code under test, says what may
 * be where.
 */

const CONTAINERS = ['/', '/a/', '/a/b/', '/c/'] as const;
/** Two reactors that exist, and one that does not; rules name proxies that no one calls. */
const REACTORS = [randomUUID(), randomUUID(), randomUUID()].map((id) => orderedId(0, id));
const PROXY = randomUUID();

const through = fc.record({
  proxies: fc.subarray([PROXY]),
  reactors: fc.subarray([...REACTORS], { minLength: 1 }),
  callbacks: fc.subarray(['https://example.com/', 'https://example.com/hook', 'https://other.example/hook']),
});
const container = fc.constantFrom(...CONTAINERS);
const where = fc.record({ container });
/** Sessions may have conditions. No id of a token begins with `none`. */
const condition = fc.oneof(
  fc.record({
    attribute: fc.constant('container' as const),
    operator: fc.constantFrom('equals' as const, 'starts_with' as const),
    value: container,
  }),
  fc.record({
    attribute: fc.constant('id' as const),
    operator: fc.constant('starts_with' as const),
    value: fc.constantFrom('', 'none'),
  }),
);
const conditions = fc.record({ conditions: fc.array(condition, { minLength: 1, maxLength: 2 }) });

const ruleAt = (place: fc.Arbitrary<Pick<AccessRule, 'container' | 'conditions'>>) =>
  fc
    .record({
      place,
      through: fc.option(through, { nil: undefined, freq: 1 }),
      transform: fc.constantFrom('reveal' as const, 'mask' as const),
      permissions: fc.constantFrom(['token:use' as const], ['token:use' as const, 'token:read' as const]),
    })
    .map(({ place: placed, through: destinations, ...rest }) => ({
      ...placed,
      ...rest,
      ...(destinations !== undefined && { through: destinations }),
    }));
const ordered = (rules: readonly Omit<AccessRule, 'priority'>[]): AccessRule[] =>
  rules.map((each, index) => ({ ...each, priority: index + 1 }));
const grantsOf = (rule: ReturnType<typeof ruleAt>): fc.Arbitrary<Grants> =>
  fc.record({
    permissions: fc.constantFrom([], ['token:use' as const], ['token:use' as const]),
    rules: fc.array(rule, { maxLength: 3 }).map(ordered),
  });
const grants = grantsOf(ruleAt(where));
const sessionGrants = grantsOf(ruleAt(fc.oneof(where, conditions)));

const some = { token: fc.nat(3), reactor: fc.nat(1), by: fc.constantFrom('application', 'session') };
/** Where results go: nowhere, to addresses of rules, below them, and where only a text is below. */
const callbackUrl = fc.constantFrom(
  undefined,
  'https://example.com/hook',
  'https://example.com/hook/7?order=7',
  'https://example.com/hook/..%2fadmin',
  'https://other.example/hook',
);
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('forward' as const), ...some }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('react' as const), ...some }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('start' as const), ...some, callbackUrl }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('run' as const, 'deliver' as const, 'read' as const),
      ...some,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replay' as const), ...some }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('resend' as const), ...some }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('regrant' as const), grants }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('narrow' as const), container, through }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      token: fc.nat(3),
      containers: fc.subarray(['/a/', '/a/b/', '/c/'], { minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), token: fc.nat(3) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Change = Extract<Step, { readonly kind: 'move' | 'remove' }>;
type Use = Exclude<Step, { readonly kind: 'regrant' | 'narrow' | 'move' | 'remove' }>;

/** Its containers are those of now; absent once it is deleted. */
interface AToken {
  readonly id: string;
  readonly text: string;
  readonly containers?: readonly string[] | undefined;
}

/** Plaintext that left, and which way it took. */
interface Flow {
  readonly way: Way;
  readonly text: string;
}

const PROXIED: Omit<ProxyRequest & NamedDestination, 'body'> = {
  method: 'POST',
  destination: 'https://example.com/',
  destinationHeader: 'SVC-PROXY-URL',
  suffix: '',
  query: '',
  headers: { 'content-type': 'text/plain' },
  isReserved: () => false,
  extraHeaders: [],
  ownHosts: [],
};
const SERVICE = { baseUrl: 'https://api.example.com', headerPrefix: 'SVC' };
const ONCE = { begin: () => Promise.resolve(), mayRepeat: () => undefined };
const writes = () => randomIdentity(machinePlatform.random);

async function aWorld() {
  const world = anInvocationWorld();
  const flows: Flow[] = [];
  const storedTokens = tokenStoreOver(world.tables);
  const deps = {
    ...world.deps,
    tokenStore: createProvenTokenStore(storedTokens, world.deps.vault),
    tenantKeys: world.deps.tenantKeys,
    cvcLifetimeMs: 1,
    egress: {
      send: ({ body }: { readonly body: Secret<Buffer> }) => {
        flows.push({ way: 'named_by_caller', text: bytesOfBody(body.reveal()).toString() });
        return Promise.resolve({ status: 500, headers: [], body: Buffer.alloc(0) });
      },
    },
    reactorRunner: {
      run: ({ reactorId, args }: { readonly reactorId: string; readonly args: Secret<unknown> }) => {
        flows.push({ way: { reactor: reactorId }, text: JSON.stringify(args.reveal()) });
        return Promise.resolve({
          outcome: 'returned' as const,
          value: new Secret({ raw: { echo: args.reveal() as never } }),
        });
      },
    },
  } as unknown as ForwardDeps &
    ProcessInvocationDeps &
    StartInvocationDeps &
    DeliverDeps &
    ParkedDeliveriesDeps;
  const creator: Caller = {
    ...world.caller,
    applicationId: randomUUID(),
    credentialId: 'creator',
    permissions: [],
    rules: [
      {
        priority: 1,
        container: '/',
        transform: 'reveal',
        permissions: ['token:create', 'token:update', 'token:delete'],
      },
    ],
  };
  const places = [['/a/'], ['/a/b/'], ['/c/'], ['/a/', '/c/']];
  const tokens: AToken[] = await Promise.all(
    places.map(async (containers, index) => {
      const text = `plaintext-${String(index)}-`;
      const input = { type: 'token' as const, data: new Secret(text), containers };
      const result = await createToken(deps, creator, input, writes());
      return { id: result.token.id, text, containers };
    }),
  );
  const reactors: string[] = [];
  for (const id of REACTORS.slice(0, 2)) {
    const identity = { ...writes(), startedAt: 0, newId: () => id };
    reactors.push((await createReactor(deps as never, aManager, aDefinition('one'), identity)).reactor.id);
  }
  // Rules name them.
  expect(reactors).toEqual(REACTORS.slice(0, 2));
  return { world, deps, flows, tokens, reactors, creator };
}

type World = Awaited<ReturnType<typeof aWorld>>;

/** An invocation that was accepted. */
interface Started {
  readonly id: string;
  readonly reactor: string;
  readonly by: string;
  readonly callbackUrl: string | undefined;
}

/** The way of a result, by the words of the contract: its query bears on nothing. */
const wayTo = ({ reactor, callbackUrl: url }: Pick<Started, 'reactor' | 'callbackUrl'>): Way =>
  url === undefined ? { reactor } : { reactor, callback: url.replace(/\?.*/, '') };

/** Whether a grant may use any token in this way, by the words of the contract. */
const holdsFor = (of: Grants, way: Way): boolean =>
  of.permissions.includes('token:use') ||
  of.rules.some((each) => {
    const covering = { permissions: [], rules: [{ ...each, container: '/' }] };
    return referenceDecision(covering, { use: way }, undefined, ['/']) !== undefined;
  });

async function outcomeOf<T>(act: () => Promise<T>): Promise<{ readonly value?: T; readonly code?: string }> {
  try {
    return { value: await act() };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { code: error.code };
  }
}

/** Takes the steps. Returns how many plaintexts left in which kind of way. */
async function history(
  first: Grants,
  session: Grants,
  steps: readonly Step[],
): Promise<ReadonlyMap<string, number>> {
  const { world, deps, flows, tokens, reactors, creator }: World = await aWorld();
  const left = new Map<string, number>();
  let { application } = world;
  const setGrants = (next: Grants) => {
    application = { ...world.application, ...next };
    putApplication(world.tables, application);
  };
  const current = () => application;
  setGrants(first);
  // A session is authorized once, by the rights of that time.
  const granted = permissionsBeyond(first, session).length === 0 ? session : { permissions: [], rules: [] };
  const callerOf = (by: string): Caller =>
    by === 'application'
      ? { ...world.caller, permissions: current().permissions, rules: current().rules }
      : {
          ...world.caller,
          type: 'session',
          actsBy: 'session',
          credentialId: 'session',
          ...narrowGrants(current(), granted),
        };

  const invocations: Started[] = [];
  const replays: { readonly replay: ReactionReplay; readonly reactor: string; readonly by: string }[] = [];

  /** Checks everything that left, under the rights that the caller and its application have now. */
  function check(by: string, more: readonly Flow[] = []): void {
    for (const { way, text } of [...flows.splice(0), ...more]) {
      const seen = tokens.filter((each) => text.includes(each.text));
      for (const { id, containers } of seen) {
        for (const holder of [callerOf(by), current()])
          expect([way, containers && referenceDecision(holder, { use: way }, id, containers)]).not.toEqual([
            way,
            undefined,
          ]);
        const kind = typeof way === 'string' ? way : Object.keys(way).join(' ');
        left.set(kind, (left.get(kind) ?? 0) + 1);
      }
    }
  }

  /** Whether the contract permits a use of a token in this way, and the caller to use it at all. */
  const permits = (caller: Caller, way: Way, { id, containers }: AToken): boolean =>
    holdsFor(caller, way) &&
    (containers === undefined || referenceDecision(caller, { use: way }, id, containers) !== undefined);

  /** Takes a step of an invocation, and checks what left. */
  async function processed(
    act: typeof deliver | typeof processInvocation,
    { id, by, ...to }: Started,
  ): Promise<void> {
    world.pass(450_000);
    await act(deps, { tenantId: TENANT, id });
    // The code's input is for the address of its result, or for the caller itself.
    const meant = flows.splice(0).map(({ text }) => ({ way: wayTo(to), text }));
    check(by, meant);
  }

  /** Sends a delivery again, if it is parked, for a manager who may use no token. */
  async function resend({ id, reactor }: Started): Promise<boolean> {
    const isParked = world.invocations().find((each) => each.id === id)?.delivery === 'parked';
    const input = { reactorId: reactor, invocationId: id };
    const { code } = await outcomeOf(() => resendParked(deps, aManager, input, writes()));
    expect(code).toBe(isParked ? undefined : 'not_found');
    return isParked;
  }

  async function use(taken: Use): Promise<void> {
    const { kind, token: index, reactor: which, by } = taken;
    const token = tokens[index];
    const reactor = reactors[which];
    if (token === undefined || reactor === undefined) throw new Error('test: there is no such token');
    const caller = callerOf(by);
    const args = { card: `{{ ${token.id} }}` };
    const input = { reactorId: reactor, args, service: SERVICE };
    switch (kind) {
      case 'forward': {
        const request = { ...PROXIED, body: contentOfText(`{{ ${token.id} }}`) };
        const { code } = await outcomeOf(() =>
          forward(
            deps,
            { ...caller, tenantSettings: { deduplicateTokens: false, ephemeralProxy: true } },
            request,
          ),
        );
        expect(code === 'forbidden').toBe(!permits(caller, 'named_by_caller', token));
        check(by);
        return;
      }
      case 'react': {
        const reaction = await outcomeOf(() =>
          react(deps, caller, { ...input, receivedAt: world.now() }, writes(), ONCE),
        );
        expect(reaction.code === 'forbidden').toBe(!permits(caller, { reactor }, token));
        const { result, uses } = reaction.value ?? {};
        if (result !== undefined && uses !== undefined)
          replays.push({ replay: reactionReplayOf(result, result.raw?.reveal(), uses), reactor, by });
        check(by);
        return;
      }
      case 'start': {
        const to = { reactor, callbackUrl: taken.callbackUrl };
        const more = defined({ ...input, callbackUrl: taken.callbackUrl, timeoutMs: 10_000 });
        const started = await outcomeOf(() => startInvocation(deps, caller, more, writes()));
        expect(started.code === 'forbidden').toBe(!permits(caller, wayTo(to), token));
        if (started.value !== undefined) invocations.push({ id: started.value, by, ...to });
        check(by);
        return;
      }
      case 'run':
      case 'deliver': {
        const invocation = invocations.at(-1 - (index % 2));
        if (invocation === undefined) return;
        await processed(kind === 'run' ? processInvocation : deliver, invocation);
        return;
      }
      case 'resend': {
        const invocation = invocations.at(-1 - (index % 2));
        if (invocation === undefined) return;
        for (let attempt = 0; attempt < DELIVERY_TRIES; attempt += 1) {
          world.pass(pauseAfter(DELIVERY_TRIES));
          await processed(deliver, invocation);
        }
        const resent = await resend(invocation);
        expect(flows).toEqual([]);
        if (resent) left.set('resent', (left.get('resent') ?? 0) + 1);
        return;
      }
      case 'read': {
        const invocation = invocations.at(-1);
        if (invocation === undefined) return;
        const own = callerOf(invocation.by);
        const read = await outcomeOf(() =>
          getResult({ ...deps, presentFailure }, own, invocation.reactor, invocation.id),
        );
        const text = JSON.stringify(read.value?.result?.reveal() ?? null);
        check(invocation.by, [{ way: { reactor: invocation.reactor }, text }]);
        return;
      }
      case 'replay': {
        const stored = replays.at(-1 - (index % 2));
        if (stored === undefined) return;
        const again = await outcomeOf(() =>
          replayReaction(deps, callerOf(stored.by), stored.reactor, stored.replay),
        );
        const text = JSON.stringify(again.value?.raw?.reveal() ?? null);
        check(stored.by, [{ way: { reactor: stored.reactor }, text }]);
        return;
      }
    }
  }

  /** Adds a rule before all others. */
  function narrow({ kind: _, ...place }: Extract<Step, { readonly kind: 'narrow' }>): void {
    const { permissions, rules } = current();
    const rule = { ...place, transform: 'reveal' as const, permissions: ['token:use' as const] };
    setGrants({ permissions, rules: ordered([rule, ...rules]) });
  }

  async function change({ token: index, ...to }: Change): Promise<void> {
    const token = tokens[index];
    if (token?.containers === undefined) return;
    const containers = to.kind === 'move' ? to.containers : undefined;
    if (containers === undefined) await deleteToken(deps, creator, token.id);
    else await updateToken(deps, creator, { id: token.id, patch: { containers } }, writes());
    tokens[index] = { ...token, containers };
  }

  for (const each of steps) {
    if (each.kind === 'regrant') setGrants(each.grants);
    else if (each.kind === 'narrow') narrow(each);
    else if (each.kind === 'move' || each.kind === 'remove') await change(each);
    else await use(each);
  }
  return left;
}

describe('plaintext', () => {
  it('reaches only what the deciding rule of each container permits, while rules and tokens change', async () => {
    const left = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        grants,
        sessionGrants,
        fc.array(step, { minLength: 10, maxLength: 40 }),
        async (first, session, steps) => {
          for (const [way, count] of await history(first, session, steps))
            left.set(way, (left.get(way) ?? 0) + count);
        },
      ),
      { numRuns: cases(200) },
    );
    // Enough of it did leave, in either way.
    expect(left.get('reactor')).toBeGreaterThan(cases(200) / 16);
    expect(left.get('named_by_caller')).toBeGreaterThan(cases(200) / 32);
    expect(left.get('reactor callback')).toBeGreaterThan(cases(200) / 16);
    expect(left.get('resent')).toBeGreaterThan(cases(200) / 64);
  });
});
