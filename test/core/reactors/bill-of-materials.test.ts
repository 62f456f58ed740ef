import { billOfMaterials, lockedNames, versionsIn } from '../../../src/core/reactors/bill-of-materials.ts';
import { PackageBundleError, writeBundle } from '../../../src/core/reactors/package-bundle.ts';

const integrity = `sha512-${'A'.repeat(86)}==`;

const aBundle = (packages: object) =>
  writeBundle({
    version: 1,
    image: 'node16',
    esbuild: '0.25.0',
    manifest: { dependencies: { a: '1' } },
    lock: {
      lockfileVersion: 3,
      packages: { 'node_modules/a': { version: '1.0.0', integrity }, ...packages },
    },
    specifiers: ['a'],
    code: 'exports.a = () => 1;',
    places: [],
  });

describe('the packages of a bundle', () => {
  it('are found by the names that npm knows, an alias and the packages of packages included', async () => {
    const { bundle } = await aBundle({
      'node_modules/mine': { name: '@s/b', version: '2.0.0-rc.1', integrity },
      'node_modules/a/node_modules/@s/b': { version: '1.0.0', integrity },
    });
    const locked = lockedNames(bundle.locked);
    expect(locked).toEqual(['@s/b@1.0.0', '@s/b@2.0.0-rc.1', 'a@1.0.0']);
    expect(versionsIn(locked, { name: '@s/b' })).toEqual(['1.0.0', '2.0.0-rc.1']);
    expect(versionsIn(locked, { name: '@s/b', version: '1.0.0' })).toEqual(['1.0.0']);
    expect(versionsIn(locked, { name: 'b' })).toEqual([]);
    expect(billOfMaterials({ name: 'r' }, bundle)).toMatchObject({
      components: [{ purl: 'pkg:npm/a@1.0.0' }, { name: '@s/b' }, { purl: 'pkg:npm/%40s/b@1.0.0' }],
    });
  });

  it.each(['\uD800', 'a@1.0.0 b', '../b', ''])(
    'have names of npm: %j is refused for an alias',
    async (name) => {
      await expect(aBundle({ 'node_modules/b': { name, version: '1.0.0', integrity } })).rejects.toThrow(
        PackageBundleError,
      );
    },
  );
});
