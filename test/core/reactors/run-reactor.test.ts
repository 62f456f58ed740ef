import { NOW } from '../../support/now.ts';
import { createHash } from 'node:crypto';
import type { Caller } from '../../../src/core/access/caller.ts';
import { OPERATION_MS } from '../../../src/core/reactors/change-function.ts';
import { patchReactor } from '../../../src/core/reactors/change-reactor.ts';
import { makeAgain } from '../../../src/core/reactors/make-again.ts';
import type { ReactorId } from '../../../src/core/reactors/reactor-functions.ts';
import { createReactor } from '../../../src/core/reactors/create-reactor.ts';
import {
  concludeRun,
  executeRun,
  returnedParts,
  type RunReactorDeps,
} from '../../../src/core/reactors/run-reactor.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { invalid } from '../../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { aDefinition, aManager, aReactorWorld, Death } from './a-reactor-world.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const hashOf = (code: string) => createHash('sha256').update(code).digest('hex');

async function ran(world: ReturnType<typeof aReactorWorld>, id: string, reactor = world.reactor(id)) {
  if (reactor === undefined) throw new Error('no such reactor');
  const deps = {
    ...world.deps,
    reactorRunner: world.reactorRunner,
    reactorMaker: { makeAgain: (wanted: ReactorId) => makeAgain(world.deps, wanted) },
  } as unknown as RunReactorDeps;
  const service = { baseUrl: 'https://api', headerPrefix: 'SVC' };
  const input = {
    reactorId: id,
    way: { reactor: id },
    args: {},
    service,
    timeoutMs: 1000,
    deadline: NOW + 5_000,
  };
  const outcome = await executeRun(deps, { reactor, args: new Secret({}), input });
  return outcome.outcome === 'returned' ? outcome.value.reveal() : outcome.outcome;
}

describe('a run of a reactor that was restored without its function', () => {
  async function restored() {
    const world = aReactorWorld();
    const { reactor } = await createReactor(
      world.deps,
      aManager,
      aDefinition('1'),
      randomIdentity(machinePlatform.random),
    );
    world.functions.clear();
    return { world, id: reactor.id };
  }

  it('makes the function again from the stored code, and runs', async () => {
    const { world, id } = await restored();
    expect(await ran(world, id)).toEqual({ raw: hashOf('1') });
    expect(world.disorder()).toEqual([]);
    expect(world.reactor(id)?.functionVersion).toBe('1');
  });

  it('calls Lambda for it no more often than an operation lasts, whatever callers do', async () => {
    const { world, id } = await restored();
    let published = 0;
    const reactorFunctions = {
      ...world.deps.reactorFunctions,
      publish: () => {
        published += 1;
        return Promise.reject(new Error('refused'));
      },
    };
    const deps = { ...world.deps, reactorFunctions };
    const make = () => makeAgain(deps, { tenantId: aManager.tenantId, id });
    await expect(make()).rejects.toThrow('refused');
    for (let times = 0; times < 3; times += 1) await make();
    expect(published).toBe(1);
    world.pass(OPERATION_MS);
    await expect(make()).rejects.toThrow('refused');
    expect(published).toBe(2);
  });
});

describe('a run', () => {
  it.each(['dieBefore', 'dieAfter'] as const)(
    'uses the recorded code immediately, wherever an update was interrupted (%s)',
    async (kind) => {
      const seen = new Set<unknown>();
      for (let call = 1; ; call += 1) {
        const world = aReactorWorld();
        const { reactor } = await createReactor(
          world.deps,
          aManager,
          aDefinition('one'),
          randomIdentity(machinePlatform.random),
        );
        world.process({ [kind]: call });
        const patch = patchReactor(world.deps, aManager, reactor.id, { code: new Secret('two') });
        const failure = await patch.then(
          () => undefined,
          (error: unknown) => error,
        );
        world.process();
        const raw = world.reactor(reactor.id)?.codeHash;
        expect(await ran(world, reactor.id)).toEqual({ raw });
        seen.add(raw);
        if (!(failure instanceof Death)) break;
      }
      expect(seen).toEqual(new Set([hashOf('one'), hashOf('two')]));
    },
  );

  it('reads the record again when its version was removed', async () => {
    const world = aReactorWorld();
    const { reactor } = await createReactor(
      world.deps,
      aManager,
      aDefinition('one'),
      randomIdentity(machinePlatform.random),
    );
    const old = world.reactor(reactor.id);
    await patchReactor(world.deps, aManager, reactor.id, { code: new Secret('two') });
    world.functions.get(reactor.id)?.versions.delete(old?.functionVersion ?? '');
    expect(await ran(world, reactor.id, old)).toEqual({ raw: hashOf('two') });
  });
});

const KIND = { limitMs: 1000, image: 'node16' } as const;

describe('the value that the code returned', () => {
  const parts = (value: Json, compatibility: 'strict' | 'lenient') =>
    returnedParts({ outcome: 'returned', value: new Secret(value) }, KIND, compatibility);
  const failed = expect.objectContaining({ code: 'reactor_failed' });

  it.each<{ value: Json }>([
    { value: { body: { a: 1 }, headers: {} } },
    { value: { body: null } },
    { value: { Raw: 1 } },
  ])('is an error in both modes if nothing of it is read: $value', ({ value }) => {
    expect(() => parts(value, 'strict')).toThrow(failed);
    expect(() => parts(value, 'lenient')).toThrow(/only the members `raw` and `tokenize`/);
  });

  it('may have other members under lenient beside one that is read, or none', () => {
    expect(parts({ raw: 1, headers: {} }, 'lenient')).toEqual({ raw: 1 });
    expect(parts({ raw: null, headers: {} }, 'lenient')).toEqual({ raw: null });
    expect(() => parts({ raw: 1, headers: {} }, 'strict')).toThrow(failed);
    for (const compatibility of ['strict', 'lenient'] as const)
      for (const nothing of [{}, null]) expect(parts(nothing, compatibility)).toEqual({});
  });
});

describe('an invalid token in `tokenize`', () => {
  const card = { type: 'card', data: { number: 'x' } };

  it.each<{ tokenize: Json; path: string }>([
    { tokenize: card, path: 'tokenize.data.number' },
    { tokenize: [card], path: 'tokenize[0].data.number' },
    { tokenize: { cards: [card] }, path: 'tokenize.cards[0].data.number' },
  ])('is reported at $path', async ({ tokenize, path }) => {
    const deps = {
      ...aReactorWorld().deps,
      parseTokenInput: (_object: unknown, at: string) => {
        throw invalid(at === '' ? 'data.number' : `${at}.data.number`, 'is invalid');
      },
    } as unknown as RunReactorDeps;
    const caller: Caller = { ...aManager, type: 'private', permissions: ['token:create'] };
    const outcome = { outcome: 'returned', value: new Secret<Json>({ tokenize }) } as const;
    const concluded = concludeRun(deps, caller, outcome, KIND, randomIdentity(machinePlatform.random));
    await expect(concluded).rejects.toMatchObject({ errors: { [path]: ['is invalid'] } });
  });
});
