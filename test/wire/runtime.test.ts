import type { Json } from '../../src/core/shared/json.ts';
import { parseAt } from '../../src/http/parse-input.ts';
import { createReactorBody, definitionOf, patchOf, patchReactorBody } from '../../src/wire/reactor.ts';

type Compatibility = 'strict' | 'lenient';

const runtimeIn = (runtime: Json, clientCompatibility: Compatibility = 'strict') => {
  const reactor = { name: 'Charge', code: 'x', configuration: {}, runtime };
  const body = parseAt(createReactorBody, reactor, '', clientCompatibility);
  return definitionOf(body, { clientCompatibility }).runtime;
};

const refused = (path: string, message: unknown) => ({
  code: 'validation_failed',
  errors: { [path]: [message] },
});

const errorOf = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

describe('the runtime in a body', () => {
  it('has an image and a number of instances, and what the service computed is ignored', () => {
    const sent = { image: 'node24', warm_concurrency: 0 };
    const computed = { node_version: '1', status: 'closed', closes_at: 'never', outdated: 7 };
    expect(runtimeIn({ ...sent, ...computed })).toEqual({ image: 'node24', warmConcurrency: 0 });
    expect(runtimeIn({ image: null })).toEqual({ image: null });
    expect(runtimeIn(null)).toEqual({
      image: null,
      warmConcurrency: null,
      packages: { dependencies: {} },
    });
    expect(runtimeIn({})).toEqual({});
    const patch = parseAt(patchReactorBody, { runtime: { warm_concurrency: null } }, '', 'strict');
    expect(patchOf(patch, { clientCompatibility: 'strict' })).toEqual({ runtime: { warmConcurrency: null } });
    expect(patchOf(parseAt(patchReactorBody, {}, '', 'strict'), { clientCompatibility: 'strict' })).toEqual(
      {},
    );
  });

  it.each<[Json, string, unknown]>([
    ['node24', 'runtime', 'must be a JSON object'],
    [{ image: 'node26' }, 'runtime.image', expect.stringContaining('must be node16 or node24')],
    [{ image: 16 }, 'runtime.image', 'must be a string'],
    [{ image: 'node22' }, 'runtime.image', expect.stringContaining('code of another contract')],
    [{ warm_concurrency: -1 }, 'runtime.warm_concurrency', 'must be a whole number from 0'],
    [{ warm_concurrency: 0.5 }, 'runtime.warm_concurrency', 'must be a whole number from 0'],
    [{ warm_concurrency: '1' }, 'runtime.warm_concurrency', 'must be a whole number from 0'],
    [{ dependencies: ['lodash'] }, 'runtime.dependencies', 'must be an object of strings'],
    [{ dependencies: { lodash: 4 } }, 'runtime.dependencies.lodash', 'must be a string'],
    [
      {
        dependencies: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`p${String(at)}`, '1.0.0'])),
      },
      'runtime.dependencies',
      'must be at most 20 packages',
    ],
    [{ bundle: {} }, 'runtime.bundle', 'must be a string'],
    [
      { bundle: null, dependencies: { a: '1.0.0' } },
      'runtime.bundle',
      expect.stringContaining('takes away the packages'),
    ],
    [{ resolutions: {} }, 'runtime.resolutions', expect.stringContaining('the versions of its lock')],
    [{ permissions: [] }, 'runtime.permissions', expect.stringContaining('the rights of `application`')],
    [{ timeout: 10 }, 'runtime.timeout', expect.stringContaining('`timeout_ms`')],
    [{ resources: 'large' }, 'runtime.resources', expect.stringContaining('the same memory')],
  ])('is refused when it is %j, in both modes', (runtime, path, message) => {
    for (const mode of ['strict', 'lenient'] as const)
      expect(errorOf(() => runtimeIn(runtime, mode))).toMatchObject(refused(path, message));
  });

  it.each<[Json, object]>([
    [{ dependencies: { a: '1.0.0' } }, { dependencies: { a: '1.0.0' } }],
    [{ dependencies: {} }, { dependencies: {} }],
    [{ dependencies: null }, { dependencies: {} }],
    [{ bundle: null }, { dependencies: {} }],
    [{ dependencies: {}, bundle: null }, { dependencies: {} }],
    [{ bundle_digest: 'd' }, { digest: 'd' }],
  ])('names packages, and takes them away by null: %j', (runtime, packages) => {
    expect(runtimeIn(runtime)).toEqual({ packages });
  });

  it('has a bundle that no error and no log shows', () => {
    const { packages } = runtimeIn({ bundle: 'QUJD', bundle_digest: null }) ?? {};
    expect(JSON.stringify(packages)).not.toContain('QUJD');
    expect(packages?.bundle?.reveal()).toBe('QUJD');
  });

  it('node-bt is another name of node16 in lenient alone', () => {
    expect(runtimeIn({ image: 'node-bt' }, 'lenient')).toEqual({ image: 'node16' });
    expect(runtimeIn({ IMAGE: 'node24', warmConcurrency: 1, cache: true }, 'lenient')).toEqual({
      image: 'node24',
      warmConcurrency: 1,
    });
    expect(errorOf(() => runtimeIn({ image: 'node-bt' }))).toMatchObject(
      refused('runtime.image', expect.stringContaining('must be node16 or node24')),
    );
    expect(errorOf(() => runtimeIn({ cache: true }))).toMatchObject(
      refused('runtime.cache', expect.stringContaining('is not known')),
    );
  });
});
