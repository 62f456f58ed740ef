import type { Caller } from '../../../src/core/access/caller.ts';
import type { Sightings } from '../../../src/core/audit/audit-scope.ts';
import { patchReactor, updateReactor } from '../../../src/core/reactors/change-reactor.ts';
import { codeHash } from '../../../src/core/reactors/code-hash.ts';
import { createReactor } from '../../../src/core/reactors/create-reactor.ts';
import type { ReactorImages } from '../../../src/core/reactors/images.ts';
import { IMAGES, type Image } from '../../../src/core/reactors/layer.ts';
import { listReactors } from '../../../src/core/reactors/list-reactors.ts';
import type { RuntimeChange } from '../../../src/core/reactors/reactor.ts';
import { makeAgain } from '../../../src/core/reactors/make-again.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { cases, randomOfFile } from '../../../packages/test-kit/src/thoroughness.ts';
import { LAYERS } from '../../support/fakes/reactor-functions.ts';
import { someTenantKeys } from '../../support/tenant-keys.ts';
import { aDefinition, aManager, aReactorWorld, TENANT } from './a-reactor-world.ts';

type World = ReturnType<typeof aReactorWorld>;

const CODE = 'module.exports = () => 1;';
const OTHER = 'module.exports = () => 2;';

const made = async ({ deps }: Pick<World, 'deps'>, runtime?: RuntimeChange) =>
  createReactor(
    deps,
    aManager,
    aDefinition(CODE, runtime && { runtime }),
    randomIdentity(machinePlatform.random),
  );

/** Changes the images of the deployment. */
const withImages = (world: World, open: readonly [Image, ...Image[]]) => ({
  ...world.deps,
  images: { default: open[0], open } satisfies ReactorImages,
});

const refusal = (path: string, message: string) => ({
  code: 'validation_failed',
  errors: { [path]: [message] },
});

describe('the runtime of a new reactor', () => {
  it('has more running instances than usual if an operator allowed its tenant so many', async () => {
    const world = aReactorWorld();
    world.allowed.set(TENANT, 3);
    const { id } = (await made(world, { warmConcurrency: 3 })).reactor;
    await expect(made(world, { warmConcurrency: 4 })).rejects.toMatchObject(
      refusal('runtime.warm_concurrency', 'must be at most 3 in this deployment'),
    );
    // The value that it has is accepted afterwards, and no larger one.
    world.allowed.clear();
    await patchReactor(world.deps, aManager, id, { runtime: { warmConcurrency: 3 } });
    await expect(
      patchReactor(world.deps, aManager, id, { runtime: { warmConcurrency: 2 } }),
    ).rejects.toMatchObject(refusal('runtime.warm_concurrency', 'must be at most 1 in this deployment'));
  });

  it('waits for running instances from the request on, and with 0 for none', async () => {
    const world = aReactorWorld();
    const { id } = (await made(world, { warmConcurrency: 0 })).reactor;
    expect(world.reactor(id)).not.toHaveProperty('heat');
    await patchReactor(world.deps, aManager, id, { runtime: { warmConcurrency: 1 } });
    expect(world.reactor(id)).toMatchObject({ heat: { state: 'waiting' } });
    await patchReactor(world.deps, aManager, id, { runtime: { warmConcurrency: 0 }, name: 'Another' });
    expect(world.reactor(id)).not.toHaveProperty('heat');
  });

  it('is the default of the deployment, or the image that the request names', async () => {
    const world = aReactorWorld();
    expect((await made(world)).runtime).toEqual({
      image: 'node16',
      nodeVersion: '16.20.2',
      status: 'deprecated',
      warmConcurrency: 1,
      isOutdated: false,
    });
    const { reactor, runtime } = await made(world, { image: 'node24', warmConcurrency: 0 });
    expect(runtime).toMatchObject({ image: 'node24', status: 'current', warmConcurrency: 0 });
    expect(world.reactor(reactor.id)).toMatchObject({
      image: 'node24',
      layer: LAYERS.node24,
      codeHash: codeHash(CODE, { image: 'node24' }),
    });
    expect(world.disorder()).toEqual([]);
    expect((await made({ deps: withImages(world, ['node24', 'node16']) })).runtime.image).toBe('node24');
  });

  it('is refused with a closed image, and with more instances than the deployment allows', async () => {
    const deps = withImages(aReactorWorld(), ['node24']);
    await expect(made({ deps }, { image: 'node16' })).rejects.toMatchObject(
      refusal('runtime.image', 'node16 takes no reactors in this deployment: use node24'),
    );
    await expect(made({ deps }, { warmConcurrency: 2 })).rejects.toMatchObject(
      refusal('runtime.warm_concurrency', 'must be at most 1 in this deployment'),
    );
    expect((await made({ deps }, { image: null })).runtime.image).toBe('node24');
  });
});

describe('the runtime of a reactor', () => {
  it('no sequence of writes that do not name it changes it', async () => {
    const random = randomOfFile();
    const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    for (let times = 0; times < cases(30); times += 1) {
      const world = aReactorWorld();
      let expected = { image: oneOf(IMAGES), warmConcurrency: oneOf([0, 1]) };
      const { id } = (await made(world, expected)).reactor;
      for (let write = 0; write < 6; write += 1) {
        // The operator may change the default meanwhile, and close an image.
        const deps = withImages(world, oneOf([['node16', 'node24'], ['node24', 'node16'], ['node24']]));
        const image = oneOf([undefined, undefined, ...deps.images.open]);
        const code = oneOf([CODE, OTHER]);
        const runtime = image && { image };
        if (random() < 0.5)
          await updateReactor(deps, aManager, id, aDefinition(code, runtime && { runtime }));
        else await patchReactor(deps, aManager, id, { code: new Secret(code), ...(runtime && { runtime }) });
        expected = { ...expected, ...runtime };
        expect(world.reactor(id)).toMatchObject({
          ...expected,
          codeHash: codeHash(code, { image: expected.image }),
        });
        expect(world.disorder()).toEqual([]);
        world.pass(1_000);
      }
    }
  });

  it('moves by a PATCH that names no code, and back, each time under another hash of the code', async () => {
    const world = aReactorWorld();
    const { id } = (await made(world)).reactor;
    const changed: (readonly string[])[] = [];
    const audit: Sightings = {
      ...world.deps.audit,
      changes: ({ members }) => void changed.push(members),
    };
    for (const image of IMAGES.toReversed()) {
      await patchReactor({ ...world.deps, audit }, aManager, id, { runtime: { image } });
      expect(world.reactor(id)).toMatchObject({
        image,
        layer: LAYERS[image],
        codeHash: codeHash(CODE, { image }),
      });
      expect(world.disorder()).toEqual([]);
    }
    await patchReactor({ ...world.deps, audit }, aManager, id, { runtime: { warmConcurrency: 0 } });
    expect(changed).toEqual([['runtime'], ['runtime'], ['runtime']]);
  });

  it('is that of the deployment after null, of a member or of all', async () => {
    const world = aReactorWorld();
    const { id } = (await made(world, { image: 'node24', warmConcurrency: 0 })).reactor;
    await patchReactor(world.deps, aManager, id, { runtime: { warmConcurrency: null } });
    expect(world.reactor(id)).not.toHaveProperty('warmConcurrency');
    await updateReactor(world.deps, aManager, id, aDefinition(CODE, { runtime: { image: null } }));
    expect(world.reactor(id)?.image).toBe('node16');
  });

  it('is accepted as it was read, and its code can be replaced, while its image is closed', async () => {
    const world = aReactorWorld();
    const { reactor, runtime } = await made(world);
    const deps = { ...withImages(world, ['node24']), hotConcurrency: 0 };
    const read = { image: runtime.image, warmConcurrency: runtime.warmConcurrency };
    await expect(
      updateReactor(deps, aManager, reactor.id, aDefinition(OTHER, { runtime: read })),
    ).rejects.toMatchObject(refusal('runtime.warm_concurrency', 'must be at most 0 in this deployment'));
    // It was the number of the deployment, which is another one now.
    const now = { image: runtime.image, warmConcurrency: 0 };
    const put = await updateReactor(deps, aManager, reactor.id, aDefinition(OTHER, { runtime: now }));
    expect(put.runtime).toMatchObject({ image: 'node16', status: 'closed', warmConcurrency: 0 });
    expect(world.reactor(reactor.id)).not.toHaveProperty('warmConcurrency');
    await patchReactor(deps, aManager, reactor.id, { runtime: { image: 'node24' } });
    await expect(
      patchReactor(deps, aManager, reactor.id, { runtime: { image: 'node16' } }),
    ).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('does not move to an image that cannot read its code', async () => {
    const world = aReactorWorld();
    const { deps } = world;
    const definition = aDefinition('{ using a = null; } module.exports = () => 1;', {
      runtime: { image: 'node24' },
    });
    const { reactor } = await createReactor(
      deps,
      aManager,
      definition,
      randomIdentity(machinePlatform.random),
    );
    await expect(
      patchReactor(deps, aManager, reactor.id, { runtime: { image: 'node16' } }),
    ).rejects.toMatchObject({ errors: { code: [expect.stringContaining('has a syntax error')] } });
    expect(world.reactor(reactor.id)?.image).toBe('node24');
  });

  it('decides the layer of a function that is made again', async () => {
    const world = aReactorWorld();
    const { id } = (await made(world, { image: 'node24' })).reactor;
    world.functions.delete(id);
    await makeAgain(world.deps, { tenantId: TENANT, id });
    expect(world.reactor(id)?.layer).toEqual(LAYERS.node24);
    expect(world.disorder()).toEqual([]);
  });
});

describe('a change of code', () => {
  const pinning = [{ id: 'p', name: 'Partner' }];
  const reader: Caller = { ...aManager, permissions: [...aManager.permissions, 'proxy:read'] };

  it('names the proxies that it stops, to a caller who may list them, and asks only then', async () => {
    const world = aReactorWorld();
    const asked: string[] = [];
    const proxyPins = {
      of: ({ codeHash: hash }: { readonly codeHash: string }) => {
        asked.push(hash);
        return Promise.resolve(pinning);
      },
    };
    const deps = { ...world.deps, proxyPins };
    const { id } = (await made({ deps })).reactor;
    const put = (code: string, caller = reader) => updateReactor(deps, caller, id, aDefinition(code));
    expect((await put(CODE)).stoppedProxies).toBeUndefined();
    expect((await put(OTHER, aManager)).stoppedProxies).toBeUndefined();
    await patchReactor(deps, reader, id, { name: 'Another', runtime: { warmConcurrency: 0 } });
    expect(asked).toEqual([]);
    expect((await put(CODE)).stoppedProxies).toEqual(pinning);
    const moved = await patchReactor(deps, reader, id, { runtime: { image: 'node24' } });
    expect(moved.stoppedProxies).toEqual(pinning);
    expect(asked).toEqual([codeHash(OTHER, { image: 'node16' }), codeHash(CODE, { image: 'node16' })]);
  });

  it('does not happen if the proxies cannot be read', async () => {
    const world = aReactorWorld();
    const { id } = (await made(world)).reactor;
    const deps = { ...world.deps, proxyPins: { of: () => Promise.reject(new Error('down')) } };
    await expect(updateReactor(deps, reader, id, aDefinition(OTHER))).rejects.toThrow('down');
    expect(world.reactor(id)).toMatchObject({ codeHash: codeHash(CODE, { image: 'node16' }), version: 2 });
  });
});

describe('the list of reactors', () => {
  it('has those of an image, or those that are outdated, and opens no other', async () => {
    const world = aReactorWorld();
    const ids: Record<Image, string> = {
      node16: (await made(world)).reactor.id,
      node24: (await made(world, { image: 'node24' })).reactor.id,
    };
    const opened: string[] = [];
    const { vault } = world.deps;
    const deps = {
      ...world.deps,
      tenantKeys: someTenantKeys(),
      // A deployment has published another layer for Node.js 24.
      presentLayers: { ...LAYERS, node24: { ...LAYERS.node24, hash: 'c'.repeat(64) } },
      vault: {
        ...vault,
        decrypt: (...args: Parameters<typeof vault.decrypt>) => {
          opened.push(args[0].recordId);
          return vault.decrypt(...args);
        },
      },
    };
    const page = { kind: 'numbered', page: 1, size: 20 } as const;
    const listed = async (filters: Partial<Parameters<typeof listReactors>[2]>) => {
      opened.length = 0;
      const { items, info } = await listReactors(deps, aManager, { ids: [], ...filters }, page);
      const found = items.map(({ reactor, runtime }) => [reactor.id, runtime.isOutdated]);
      expect(new Set(opened)).toEqual(new Set(found.map(([id]) => id)));
      expect(info.counted?.items).toBe(found.length);
      return found;
    };
    expect(await listed({ image: 'node16' })).toEqual([[ids.node16, false]]);
    expect(await listed({ image: 'node24' })).toEqual([[ids.node24, true]]);
    expect(await listed({ isOutdated: true })).toEqual([[ids.node24, true]]);
    expect(await listed({ isOutdated: false, image: 'node24' })).toEqual([]);
    expect(await listed({})).toHaveLength(2);
  });
});
