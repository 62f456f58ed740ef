import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../src/core/access/caller.ts';
import type { RunOnce } from '../../../src/core/idempotency/run-once.ts';
import { createReactor } from '../../../src/core/reactors/create-reactor.ts';
import { react } from '../../../src/core/reactors/react.ts';
import type { RunOutcome } from '../../../src/core/reactors/reactor-runner.ts';
import type { RunReactorDeps } from '../../../src/core/reactors/run-reactor.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { aDefinition, aManager, aReactorWorld, TENANT } from './a-reactor-world.ts';

const identity = () => randomIdentity(machinePlatform.random);
const aCaller: Caller = {
  tenantId: TENANT,
  applicationId: randomUUID(),
  credentialId: 'key',
  keyId: 'key',
  type: 'private',
  actsBy: 'own_key',
  permissions: ['token:use'],
  rules: [],
};

/** Invokes a reactor under an idempotency key, and returns the steps of the key. */
async function stepsWith(run: () => Promise<RunOutcome>, deps: Partial<RunReactorDeps> = {}) {
  const world = aReactorWorld();
  const { reactor } = await createReactor(world.deps, aManager, aDefinition('one'), identity());
  const steps: string[] = [];
  const once: RunOnce = {
    begin: () => Promise.resolve(void steps.push('begins')),
    mayRepeat: () => void steps.push('may repeat'),
  };
  const invoked = react(
    {
      ...world.deps,
      invocationCredentials: { create: () => Promise.resolve(), delete: () => Promise.resolve() },
      reactorRunner: {
        run: () => {
          steps.push('runs');
          return run();
        },
      },
      ...deps,
    } as unknown as RunReactorDeps,
    aCaller,
    {
      reactorId: reactor.id,
      args: {},
      service: { baseUrl: 'https://api', headerPrefix: 'SVC' },
      receivedAt: world.deps.clock(),
    },
    identity(),
    once,
  );
  const result = await invoked.then(
    () => 'returns',
    (error: unknown) => (error instanceof ServiceError ? error.code : 'fails'),
  );
  return [...steps, result];
}

describe('an idempotency key', () => {
  it('is used up by a run that returns', async () => {
    const returned = { outcome: 'returned', value: new Secret({ raw: 1 }) } as const;
    expect(await stepsWith(() => Promise.resolve(returned))).toEqual(['begins', 'runs', 'returns']);
  });

  it('is used up by a run of which nothing is known', async () => {
    const steps = await stepsWith(() => Promise.resolve({ outcome: 'unknown' }));
    expect(steps.slice(0, -1)).toEqual(['begins', 'runs']);
  });

  it('is free again after a run that certainly did not happen', async () => {
    const refused = new ServiceError('dependency_unavailable', 'x');
    expect(await stepsWith(() => Promise.reject(refused))).toEqual([
      'begins',
      'runs',
      'may repeat',
      'dependency_unavailable',
    ]);
  });
});
