import { patchReactor, updateReactor } from '../../../src/core/reactors/change-reactor.ts';
import { codeHash } from '../../../src/core/reactors/code-hash.ts';
import { createReactor } from '../../../src/core/reactors/create-reactor.ts';
import { deleteReactor } from '../../../src/core/reactors/delete-reactor.ts';
import { getBill } from '../../../src/core/reactors/get-bill.ts';
import { getReactor } from '../../../src/core/reactors/get-reactor.ts';
import { IMAGES, type Image } from '../../../src/core/reactors/layer.ts';
import { makeAgain } from '../../../src/core/reactors/make-again.ts';
import type { RuntimeChange, SentPackages } from '../../../src/core/reactors/reactor.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import type { Sightings } from '../../../src/core/audit/audit-scope.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { cases, randomOfFile } from '../../../packages/test-kit/src/thoroughness.ts';
import { aPackageBundle } from '../../support/builders/a-package-bundle.ts';
import { aDefinition, aManager, aReactorWorld, dyingAnywhere, TENANT } from './a-reactor-world.ts';

const CODE = 'one';

/** Random text does not become smaller by gzip, so that it needs more than one part. */
const LARGE = Array.from({ length: 40_000 }, (_, at) => `${String(at)}:${String(Math.sin(at))}`).join();

const FIRST = await aPackageBundle({ lodash: `// ${LARGE}` });
const SECOND = await aPackageBundle({ lodash: 'module.exports = 2', '@scope/name': '' });
const LATER = await aPackageBundle({ lodash: 'module.exports = 3' }, { image: 'node24' });

type Bundle = typeof FIRST;

const sent = ({ base64, dependencies }: Bundle): SentPackages => ({
  dependencies,
  bundle: new Secret(base64),
});

type World = ReturnType<typeof aReactorWorld>;

const made = async ({ deps }: Pick<World, 'deps'>, runtime?: RuntimeChange) =>
  createReactor(
    deps,
    aManager,
    aDefinition(CODE, runtime && { runtime }),
    randomIdentity(machinePlatform.random),
  );

const refusal = (path: string, message: unknown) => ({
  code: 'validation_failed',
  errors: { [path]: [message] },
});

const hashOf = (bundle: Bundle | undefined, image: 'node16' | 'node24' = 'node16') =>
  codeHash(CODE, { image, ...(bundle && { packages: bundle }) });

describe('the packages of a reactor', () => {
  it('are in its answers by name, version and digest, and in parts beside its record', async () => {
    const world = aReactorWorld();
    const { reactor, runtime } = await made(world, { packages: sent(FIRST) });
    expect(runtime.packages).toMatchObject({ dependencies: { lodash: '1.0.0' }, digest: FIRST.digest });
    expect((await getReactor(world.deps, aManager, reactor.id)).runtime).toEqual(runtime);
    const record = world.reactor(reactor.id);
    expect(record).toMatchObject({ codeHash: hashOf(FIRST), packages: { image: 'node16' } });
    expect(record?.packages?.bytes).toBeGreaterThan(350_000);
    expect(world.disorder()).toEqual([]);
    expect(await getBill(world.deps, aManager, reactor.id)).toMatchObject({
      components: [{ name: 'lodash', version: '1.0.0' }],
    });
    const ids = { tenantId: TENANT, id: reactor.id };
    expect(await world.deps.reactorStore.findLocked([{ ...ids, id: 'other' }, ids])).toEqual([
      [],
      ['lodash@1.0.0'],
    ]);
  });

  it('stay when a request does not name them, and go when it takes them away', async () => {
    const world = aReactorWorld();
    const { id } = (await made(world, { packages: sent(FIRST) })).reactor;
    await patchReactor(world.deps, aManager, id, { name: 'Another' });
    await updateReactor(world.deps, aManager, id, aDefinition(CODE));
    for (const packages of [{ dependencies: FIRST.dependencies, digest: FIRST.digest }, sent(FIRST)])
      await patchReactor(world.deps, aManager, id, { runtime: { packages } });
    expect(world.reactor(id)).toMatchObject({ codeHash: hashOf(FIRST) });
    expect(world.functions.get(id)?.latest).toBe(1);
    await patchReactor(world.deps, aManager, id, { runtime: { packages: sent(SECOND) } });
    expect(world.reactor(id)).toMatchObject({ codeHash: hashOf(SECOND) });
    expect(world.disorder()).toEqual([]);
    await patchReactor(world.deps, aManager, id, { runtime: { packages: { dependencies: {} } } });
    expect(world.reactor(id)).not.toHaveProperty('packages');
    expect(world.reactor(id)).toMatchObject({ codeHash: hashOf(undefined) });
    expect(world.disorder()).toEqual([]);
    expect(await getBill(world.deps, aManager, id)).toMatchObject({ components: [] });
  });

  it.each<[string, () => SentPackages, string, unknown]>([
    [
      'a bundle alone',
      () => ({ bundle: new Secret(SECOND.base64) }),
      'runtime.dependencies',
      'is required with a bundle',
    ],
    [
      'other versions than the bundle has',
      () => ({ ...sent(SECOND), dependencies: { ...SECOND.dependencies, lodash: '4.17.21' } }),
      'runtime.dependencies',
      'differs from the bundle, which has lodash 1.0.0',
    ],
    [
      'fewer packages than the bundle has',
      () => ({ ...sent(SECOND), dependencies: {} }),
      'runtime.dependencies',
      'differs from the bundle, which has @scope/name 1.0.0',
    ],
    [
      'more packages than the bundle has',
      () => ({ ...sent(SECOND), dependencies: { ...SECOND.dependencies, constructor: '1.0.0' } }),
      'runtime.dependencies',
      'names a package that the bundle has not',
    ],
    [
      'other packages without a bundle',
      () => ({ dependencies: { lodash: '1.0.1' } }),
      'runtime.dependencies',
      'needs a `bundle`, which `cloakroom reactor bundle` makes',
    ],
    [
      'the digest of others',
      () => ({ dependencies: FIRST.dependencies, digest: SECOND.digest }),
      'runtime.bundle_digest',
      expect.stringContaining('have changed since'),
    ],
    [
      'the digest of others beside a bundle',
      () => ({ ...sent(SECOND), digest: LATER.digest }),
      'runtime.bundle_digest',
      expect.stringContaining('have changed since'),
    ],
    [
      'what is no bundle',
      () => ({ ...sent(SECOND), bundle: new Secret('QUJD') }),
      'runtime.bundle',
      'must be base64 of gzip',
    ],
    [
      'those of a later image',
      () => sent(LATER),
      'runtime.image',
      expect.stringContaining('is older than node24'),
    ],
  ])('are refused, and nothing changes: %s', async (_what, packages, path, message) => {
    const world = aReactorWorld();
    const { id } = (await made(world, { packages: sent(FIRST) })).reactor;
    const before = JSON.stringify(world.reactor(id));
    await expect(
      patchReactor(world.deps, aManager, id, { runtime: { packages: packages() } }),
    ).rejects.toMatchObject(refusal(path, message));
    expect(JSON.stringify(world.reactor(id))).toBe(before);
    expect(world.disorder()).toEqual([]);
  });

  it('move from node16 to node24, and those that were made for node24 do not move back', async () => {
    const world = aReactorWorld();
    const { id } = (await made(world, { packages: sent(FIRST) })).reactor;
    await patchReactor(world.deps, aManager, id, { runtime: { image: 'node24' } });
    expect(world.reactor(id)).toMatchObject({ codeHash: hashOf(FIRST, 'node24') });
    await patchReactor(world.deps, aManager, id, { runtime: { packages: sent(LATER) } });
    const back = patchReactor(world.deps, aManager, id, { runtime: { image: 'node16' } });
    await expect(back).rejects.toMatchObject(refusal('runtime.image', expect.anything()));
  });

  it('are a part of a hash that no code has, whatever text it is', async () => {
    const world = aReactorWorld();
    const { id } = (await made(world, { packages: sent(FIRST) })).reactor;
    const imitation = `node16\n${codeHash(CODE, { image: 'node16' })}\n${FIRST.digest}`;
    await patchReactor(world.deps, aManager, id, {
      code: new Secret(imitation),
      runtime: { packages: { dependencies: {} } },
    }).catch(() => undefined);
    for (const text of [imitation, `node24\n${codeHash(CODE, { image: 'node16' })}`])
      for (const image of IMAGES)
        for (const packages of [FIRST, undefined])
          expect([hashOf(FIRST), hashOf(FIRST, 'node24'), hashOf(undefined, 'node24')]).not.toContain(
            codeHash(text, { image, ...(packages && { packages }) }),
          );
    expect(world.disorder()).toEqual([]);
  });

  it('may have the name of any member of objects', async () => {
    const world = aReactorWorld();
    const odd = await aPackageBundle({ constructor: '', toString: '', hasOwnProperty: '' });
    const { id } = (await made(world, { packages: sent(odd) })).reactor;
    expect((await getReactor(world.deps, aManager, id)).runtime.packages?.dependencies).toEqual(
      odd.dependencies,
    );
  });

  it('are refused where the deployment allows none, and those that are there go on', async () => {
    const world = aReactorWorld();
    const deps = { ...world.deps, reactorPackages: 'none' as const };
    await expect(made({ deps }, { packages: sent(FIRST) })).rejects.toMatchObject(
      refusal('runtime.bundle', expect.stringContaining('reactorPackages is none')),
    );
    expect(world.reactors()).toEqual([]);
    const { id } = (await made(world, { packages: sent(FIRST) })).reactor;
    await patchReactor(deps, aManager, id, { code: new Secret('two') });
    expect(world.reactor(id)).toMatchObject({
      codeHash: codeHash('two', { image: 'node16', packages: FIRST }),
      packages: { digest: FIRST.digest },
    });
    await patchReactor(deps, aManager, id, { runtime: { packages: sent(FIRST) } });
    await expect(
      patchReactor(deps, aManager, id, { runtime: { packages: sent(SECOND) } }),
    ).rejects.toMatchObject(refusal('runtime.bundle', expect.anything()));
    await patchReactor(deps, aManager, id, { runtime: { packages: { dependencies: {} } } });
    expect(world.disorder()).toEqual([]);
  });

  it('come back with a function that was lost', async () => {
    const world = aReactorWorld();
    const { id } = (await made(world, { packages: sent(FIRST) })).reactor;
    world.functions.delete(id);
    await makeAgain(world.deps, { tenantId: TENANT, id });
    expect(world.disorder()).toEqual([]);
  });

  it('are recorded by their digest', async () => {
    const world = aReactorWorld();
    const changes: object[] = [];
    const audit: Sightings = { ...world.deps.audit, changes: (change) => void changes.push(change) };
    const { id } = (await made(world)).reactor;
    const deps = { ...world.deps, audit };
    await patchReactor(deps, aManager, id, { runtime: { packages: sent(SECOND) } });
    await patchReactor(deps, aManager, id, { runtime: { packages: { dependencies: {} } } });
    expect(changes).toEqual([{ members: ['runtime'], bundle: SECOND.digest }, { members: ['runtime'] }]);
  });

  it('no sequence of writes runs others than the record names, or leaves parts of others', async () => {
    const bundles = [FIRST, SECOND, undefined] as const;
    const random = randomOfFile();
    const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    for (let times = 0; times < cases(4); times += 1) {
      const world = aReactorWorld();
      let expected = { code: CODE, image: 'node16' as Image, bundle: FIRST as Bundle | undefined };
      const { id } = (await made(world, { packages: sent(FIRST) })).reactor;
      for (let write = 0; write < 5; write += 1) {
        const next = { code: oneOf([CODE, 'two']), image: oneOf(IMAGES), bundle: oneOf(bundles) };
        const named = {
          code: random() < 0.5,
          image: random() < 0.5,
          bundle: random() < 0.5,
        };
        const packages = next.bundle === undefined ? { dependencies: {} } : sent(next.bundle);
        await patchReactor(world.deps, aManager, id, {
          ...(named.code && { code: new Secret(next.code) }),
          runtime: { ...(named.image && { image: next.image }), ...(named.bundle && { packages }) },
        });
        expected = {
          code: named.code ? next.code : expected.code,
          image: named.image ? next.image : expected.image,
          bundle: named.bundle ? next.bundle : expected.bundle,
        };
        const { code, image, bundle } = expected;
        if (random() < 0.2) {
          world.functions.delete(id);
          await makeAgain(world.deps, { tenantId: TENANT, id });
        }
        const hash = codeHash(code, { image, ...(bundle && { packages: bundle }) });
        expect(world.reactor(id)).toMatchObject({ codeHash: hash, image });
        expect(world.reactor(id)?.packages?.digest).toBe(bundle?.digest);
        expect(world.disorder()).toEqual([]);
        world.pass(1_000);
      }
    }
  });

  const withFirst = async (world: World) => (await made(world, { packages: sent(FIRST) })).reactor.id;

  it.each<[string, (world: World, id: string) => Promise<unknown>]>([
    ['creates', (world) => made(world, { packages: sent(SECOND) })],
    [
      'replaces them',
      ({ deps }, id) => patchReactor(deps, aManager, id, { runtime: { packages: sent(SECOND) } }),
    ],
    [
      'takes them away',
      ({ deps }, id) => patchReactor(deps, aManager, id, { runtime: { packages: { dependencies: {} } } }),
    ],
    ['deletes their reactor', ({ deps }, id) => deleteReactor(deps, aManager, id)],
  ])('a process that dies at any step leaves none without a reactor: it %s', async (_what, act) => {
    expect(await dyingAnywhere(withFirst, act, () => undefined)).toBeGreaterThanOrEqual(6);
  });
});
