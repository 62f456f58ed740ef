import { lockedNames, versionsIn } from '../../../src/core/reactors/bill-of-materials.ts';
import { PackageBundleError } from '../../../src/core/reactors/package-bundle.ts';
import { aLocked, aPackageBundle } from '../../support/builders/a-package-bundle.ts';

/** Makes a bundle of the package `a`, with other packages in its lock. */
const aBundle = (others: Readonly<Record<string, object>>) => {
  const packages = { 'node_modules/a': aLocked('a', '1.0.0'), ...others };
  return aPackageBundle({ a: 'exports.a = 1;' }, { lock: { lockfileVersion: 3, packages } });
};

describe('the packages of a bundle', () => {
  it('are found by the names that npm knows, an alias and the packages of packages included', async () => {
    const { bundle } = await aBundle({
      'node_modules/mine': { ...aLocked('@s/b', '2.0.0-rc.1'), name: '@s/b' },
      'node_modules/a/node_modules/@s/b': aLocked('@s/b', '1.0.0'),
    });
    const locked = lockedNames(bundle.locked);
    expect(versionsIn(locked, { name: '@s/b' })).toEqual(['1.0.0', '2.0.0-rc.1']);
    expect(versionsIn(locked, { name: '@s/b', version: '1.0.0' })).toEqual(['1.0.0']);
    expect(['b', 'mine', '@s'].flatMap((name) => versionsIn(locked, { name }))).toEqual([]);
  });

  it.each(['\uD800', 'a@1.0.0 b', '../b', ''])(
    'have names of npm: %j is refused for an alias',
    async (name) => {
      const bundle = aBundle({ 'node_modules/b': { ...aLocked('b', '1.0.0'), name } });
      await expect(bundle).rejects.toThrow(PackageBundleError);
    },
  );
});
