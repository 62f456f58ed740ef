// Simulates asynchronous invocations from the request to the delivery, under one clock. Processes
// may die at any step. A counterexample is the seed of the run, which repeats the same deaths.
import { createSecretKey, randomUUID } from 'node:crypto';
import type { Caller } from '../../../src/core/access/caller.ts';
import type { InvocationId } from '../../../src/core/reactors/invocation-store.ts';
import type { RunOutcome } from '../../../src/core/reactors/reactor-runner.ts';
import {
  processInvocation,
  type ProcessInvocationDeps,
} from '../../../src/core/reactors/process-invocation.ts';
import { startInvocation, type StartInvocationDeps } from '../../../src/core/reactors/start-invocation.ts';
import { sweepInvocation } from '../../../src/core/reactors/sweep-invocation.ts';
import { encryptRecord } from '../../../src/core/crypto/record-encryption.ts';
import type { InboundResponse, OutboundRequest } from '../../../src/core/egress/egress-client.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { deliver, type DeliverDeps } from '../../../src/core/webhooks/deliver.ts';
import { presentReaction } from '../../../src/wire/invocation.ts';
import { presentFailure } from '../../../src/wire/problem.ts';
import { aTenant } from '../../support/builders/a-tenant.ts';
import { aVault } from '../../support/builders/a-vault.ts';
import { anApplication } from '../../support/builders/an-application.ts';
import { inSteps, type Step } from '../../support/fakes/in-steps.ts';
import {
  invocationsIn,
  itemsOf,
  putApplication,
  seedOf,
  tenantItemsOf,
} from '../../support/stores-in-memory.ts';
import { tenantKeysFrom } from '../../support/tenant-keys.ts';
import { aReactorWorld, Death, TENANT } from './a-reactor-world.ts';
import { anAudit } from '../../support/fakes/an-audit.ts';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { createCredentialStore } from '../../../src/adapters/dynamodb/credential-store.ts';
import { createInvocationStore } from '../../../src/adapters/dynamodb/invocation-store.ts';
import { createTenantBasicsStore } from '../../../src/adapters/dynamodb/tenant-basics-store.ts';
import { createTenantStore } from '../../../src/adapters/dynamodb/tenant-store.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { bytesOfBody } from '../../../src/core/shared/utf8.ts';

const key = createSecretKey(Buffer.alloc(32, 7));
const tenantKeys = tenantKeysFrom(() => key);
const webhookSecret = encryptRecord(
  machinePlatform.random,
  { version: 1, key },
  { tenantId: TENANT, recordId: TENANT, field: 'webhook_secret' },
  Buffer.from(`whsec_${Buffer.alloc(32, 1).toString('base64')}`),
);

const application = anApplication({ tenantId: TENANT });

/** Each world begins with these items: to write them again would take longer than many a test. */
const SEED = seedOf((tables) => {
  tenantItemsOf(tables).put(aTenant({ id: TENANT, webhookSecret }));
  putApplication(tables, application);
});

/**
 * Asynchronous invocations with queues, workers and senders in memory; any of these may die at any
 * of their steps.
 */
export function anInvocationWorld() {
  const reactorWorld = aReactorWorld(() => now);
  const { tables } = reactorWorld;
  const access = tables.table('Access');
  tables.dynamodb.replaceContents(SEED);
  const applicationStore = createApplicationStore(access);
  const caller: Caller = {
    tenantId: TENANT,
    applicationId: application.id,
    credentialId: application.id,
    keyId: application.keys[0]?.id ?? '',
    type: 'private',
    actsBy: 'own_key',
    permissions: application.permissions,
    rules: [],
  };
  const invocationStore = createInvocationStore(tables.table('Reactors'), tables.table('Ephemeral'));
  const messages: { readonly queue: 'invocations' | 'deliveries'; readonly id: InvocationId; at: number }[] =
    [];
  /** How often the code of each invocation ran. */
  const runs = new Map<string, number>();
  /** The invocations whose code was started, and those whose result was sent, in this order. */
  const attempts: { readonly kind: 'run' | 'send'; readonly id: string }[] = [];
  /** The deliveries that arrived. */
  const received: { readonly id: string; readonly body: unknown }[] = [];
  const failures: unknown[] = [];
  const onParked = () => undefined;
  const waits: number[] = [];
  let outcome: () => RunOutcome = () => ({ outcome: 'returned', value: new Secret({ raw: { ok: true } }) });
  let response: () => number | Pick<InboundResponse, 'status' | 'headers'> = () => 200;
  let mayDie: () => boolean = () => false;
  let now = 1_000_000_000;
  let loseMessages = () => false;
  let current = '';
  // A dead process does nothing, even if its code catches the death.
  const life = { isDead: false };
  const hasDied = () => life.isDead;

  /** A step of a process, which may die before or after it. */
  const step: Step = async (act) => {
    life.isDead ||= mayDie();
    if (life.isDead) throw new Death();
    const result = await act();
    life.isDead ||= mayDie();
    if (life.isDead) throw new Death();
    return result;
  };
  const queue = (name: 'invocations' | 'deliveries') => ({
    send: ({ tenantId, id }: InvocationId, delayMs = 0) =>
      step(() => {
        if (!loseMessages()) messages.push({ queue: name, id: { tenantId, id }, at: now + delayMs });
      }),
  });
  const deps: ProcessInvocationDeps & StartInvocationDeps & DeliverDeps = {
    ...reactorWorld.deps,
    clock: () => now,
    vault: aVault(),
    audit: anAudit(),
    tenantKeys,
    tokenStore: {} as ProcessInvocationDeps['tokenStore'],
    cvcLifetimeMs: 1,
    clientCompatibility: 'strict' as const,
    tenantBasicsStore: createTenantBasicsStore(access),
    applicationGrantsStore: createCredentialStore(access),
    invocationCredentials: { create: () => Promise.resolve(), remove: () => Promise.resolve() },
    parseTokenInput: () => {
      throw new Error('not used');
    },
    reactorMaker: { makeAgain: () => Promise.resolve() },
    reactorRunner: {
      run: () =>
        step(() => {
          attempts.push({ kind: 'run', id: current });
          const result = outcome();
          if (result.outcome !== 'stale' && result.outcome !== 'gone')
            runs.set(current, (runs.get(current) ?? 0) + 1);
          return result;
        }),
    },
    invocationStore: inSteps(invocationStore, step, ['parked']),
    invocationQueue: queue('invocations'),
    deliveryQueue: queue('deliveries'),
    egressAllowList: [],
    egress: {
      send: ({ headers, body }: OutboundRequest) =>
        step(() => {
          const [, id = ''] = headers.reveal().find(([name]) => name === 'webhook-id') ?? [];
          attempts.push({ kind: 'send', id });
          const responded = response();
          const { status, headers: fields } =
            typeof responded === 'number' ? { status: responded, headers: [] } : responded;
          if (status < 300)
            received.push({ id, body: JSON.parse(bytesOfBody(body.reveal()).toString()) as unknown });
          return { status, headers: fields, body: Buffer.alloc(0) };
        }),
    },
    tenantStore: createTenantStore(access),
    presentResult: presentReaction,
    presentFailure,
    onFailure: (error) => void failures.push(error),
    onReleased: (waitedMs) => void waits.push(waitedMs),
  };

  const startAs = (reactorId: string, args: object, by: Caller, callbackUrl?: string) =>
    startInvocation(
      deps,
      by,
      {
        reactorId,
        args: args as never,
        timeoutMs: 10_000,
        service: { baseUrl: 'https://api.example.com', headerPrefix: 'SVC' },
        ...(callbackUrl !== undefined && { callbackUrl }),
      },
      randomIdentity(machinePlatform.random),
    );

  /** Runs a process; if it dies, its message is delivered again. */
  const inProcess = async (act: () => Promise<void>): Promise<boolean> => {
    life.isDead = false;
    try {
      await act();
      return !hasDied();
    } catch (error) {
      if (hasDied()) return false;
      throw error;
    } finally {
      life.isDead = false;
    }
  };

  return {
    deps,
    caller,
    application,
    tables,
    applicationStore,
    attempts,
    invocations: () => invocationsIn(tables),
    /** The items of payloads and results. */
    contents: () => [...itemsOf(tables, 'Ephemeral')],
    messages,
    runs,
    received,
    failures,
    waits,
    newId: randomUUID,
    runsEndWith: (next: typeof outcome) => (outcome = next),
    receiverResponds: (next: typeof response) => (response = next),
    diesWhen: (next: typeof mayDie) => (mayDie = next),
    losesMessagesWhen: (next: () => boolean) => (loseMessages = next),
    pass: (ms: number) => (now += ms),
    now: () => now,
    start: (reactorId: string, args: object = {}, by = caller) =>
      startAs(reactorId, args, by, 'https://example.com/hook?secret=1'),
    /** Its caller reads the result. */
    startWithoutCallback: (reactorId: string) => startAs(reactorId, {}, caller),
    /**
     * Handles every message that is due. If its handler dies, a message is due again after its
     * visibility timeout.
     */
    async work(): Promise<void> {
      const due = messages.filter(({ at }) => at <= now);
      for (const message of due) {
        messages.splice(messages.indexOf(message), 1);
        current = message.id.id;
        const done = await inProcess(async () => {
          if (message.queue === 'invocations') await processInvocation(deps, message.id);
          else await deliver(deps, message.id);
        });
        if (!done) messages.push({ ...message, at: now + 330_000 });
      }
    },
    async sweep(): Promise<void> {
      for (const { id, tenantId, dueAt } of invocationsIn(tables))
        if (dueAt <= now) await inProcess(() => sweepInvocation({ ...deps, onParked }, { id, tenantId }));
    },
  };
}
