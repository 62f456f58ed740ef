import { NOW } from '../support/now.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import type { RunOutcome } from '../../src/core/reactors/reactor-runner.ts';
import { createReactor } from '../../src/core/reactors/create-reactor.ts';
import { react } from '../../src/core/reactors/react.ts';
import type { RunReactorDeps } from '../../src/core/reactors/run-reactor.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { apiRequest } from '../../src/http/api-request.ts';
import { withIdempotency } from '../../src/http/idempotency.ts';
import type { MatchedRoute } from '../../src/http/route.ts';
import { aDefinition, aManager, aReactorWorld, TENANT } from '../core/reactors/a-reactor-world.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { anApi } from '../http/an-api.ts';
import { anEvent } from '../support/builders/an-event.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const OUTCOMES: Readonly<Record<string, RunOutcome>> = {
  returned: { outcome: 'returned', value: new Secret({ raw: { charged: true } }) },
  threw: {
    outcome: 'threw',
    error: new Secret({ name: 'E', message: 'declined', status: 402, errors: null }),
  },
  timed_out: { outcome: 'timed_out' },
  exited: { outcome: 'exited' },
  unknown: { outcome: 'unknown' },
  out_of_memory: { outcome: 'out_of_memory' },
  too_large: { outcome: 'too_large' },
  not_loaded: { outcome: 'not_loaded' },
};

/** An attempt: the outcome of the code, and where the process ends or the store fails. */
const attempts = fc.array(
  fc.record({
    outcome: fc.constantFrom(...Object.keys(OUTCOMES), 'not_started'),
    dies: fc.constantFrom('never', 'never', 'before_run', 'after_run', 'keep', 'release'),
    leaseEnds: fc.boolean(),
    sameBody: fc.boolean(),
  }),
  { minLength: 2, maxLength: 8 },
);

const MATCHED: MatchedRoute<never> = {
  route: {
    operation: 'react',
    method: 'POST',
    path: '/react',
    success: 200,
    handle: () => Promise.resolve({}),
  },
  params: {},
  request: apiRequest(
    machinePlatform,
    anEvent({ method: 'POST', path: '/react', headers: { 'SVC-IDEMPOTENCY-KEY': 'k' } }),
    ['SVC'],
  ),
};

class Death extends Error {}

describe('code under an idempotency key', () => {
  it('never runs again after a run, unless the code itself reported a failure', async () => {
    await fc.assert(
      fc.asyncProperty(attempts, async (supplied) => {
        const world = aReactorWorld();
        const { reactor } = await createReactor(
          world.deps,
          aManager,
          aDefinition('code'),
          randomIdentity(machinePlatform.random),
        );
        const { deps: edge, pass } = anApi();
        const caller: Caller = aCaller({ tenantId: TENANT, permissions: ['token:use'] });
        /** The outcome of each run, in order. */
        const runs: string[] = [];
        for (const { outcome, dies, leaseEnds, sameBody } of supplied) {
          const store = {
            ...edge.idempotencyStore,
            ...(dies === 'keep' && { keep: () => Promise.reject(new Death()) }),
            // A dead process releases no claim.
            ...(dies !== 'never' && { release: () => Promise.reject(new Death()) }),
          };
          const deps = {
            ...world.deps,
            tokenStore: {},
            reactorRunner: {
              run: () => {
                if (dies === 'before_run') return Promise.reject(new Death());
                const result = OUTCOMES[outcome];
                if (result === undefined)
                  return Promise.reject(new ServiceError('dependency_unavailable', 'not started'));
                if (outcome !== 'not_loaded') runs.push(outcome);
                return dies === 'after_run' ? Promise.reject(new Death()) : Promise.resolve(result);
              },
            },
          } as unknown as RunReactorDeps;
          const input = { reactorId: reactor.id, args: {}, receivedAt: NOW };
          const service = { baseUrl: 'https://api.example.com', headerPrefix: 'SVC' };
          await withIdempotency({ ...edge, idempotencyStore: store }, caller, MATCHED, {
            body: sameBody ? {} : { other: true },
            run: async (writes, once) => {
              // Death in the middle of a run is no response of the runner: the mark stays.
              const dying = dies === 'after_run' ? { ...once, mayRepeat: () => undefined } : once;
              const { result } = await react(deps, caller, { ...input, service }, writes, dying);
              return { body: 'charged', replayData: { raw: result.raw?.reveal() ?? null } };
            },
            replay: (replayData) => Promise.resolve({ body: replayData }),
          }).catch((error: unknown) => {
            if (!(error instanceof ServiceError) && !(error instanceof Death)) throw error;
          });
          if (leaseEnds) pass(61_000);
        }
        const last = runs.length - 1;
        expect(runs.filter((came, index) => index < last && came !== 'threw')).toEqual([]);
      }),
      { numRuns: cases(300) },
    );
  });
});
