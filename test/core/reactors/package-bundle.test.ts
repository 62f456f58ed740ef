import { gzipSync } from 'node:zlib';
import { billOfMaterials, lockedNames } from '../../../src/core/reactors/bill-of-materials.ts';
import {
  PACKAGE_LIMITS,
  PackageBundleError,
  packageOf,
  readBundle,
  refusedName,
} from '../../../src/core/reactors/package-bundle.ts';
import { packageAt, type PackagePlace } from '../../../src/core/reactors/package-files.ts';
import { aLocked, aPackageBundle, bundleContent } from '../../support/builders/a-package-bundle.ts';

const CODES = { '@scope/name': 'module.exports = 1', 'lodash/get': 'module.exports = 2' };

const zipped = (value: unknown) =>
  gzipSync(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

const content = (more: object = {}) => ({ ...bundleContent(CODES), ...more });

const locked = (packages: object) => content({ lock: { lockfileVersion: 3, packages } });

const problemOf = async (base64: string): Promise<unknown> =>
  readBundle(base64).catch((error: unknown) => error);

describe('a bundle of packages', () => {
  it('has the versions of its lock, by the names of packages, and a digest of its inflated text', async () => {
    const { base64, bundle } = await aPackageBundle(CODES);
    expect(bundle).toMatchObject({
      dependencies: { '@scope/name': '1.0.0', lodash: '1.0.0' },
      specifiers: ['@scope/name', 'lodash/get'],
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const again = gzipSync(Buffer.from(JSON.stringify(content())), { level: 1 }).toString('base64');
    expect((await readBundle(again)).dependencies).toEqual(bundle.dependencies);
    expect(await readBundle(base64)).toEqual(bundle);
  });

  it('has one digest however it is compressed', async () => {
    const text = JSON.stringify(content());
    const digests = [1, 9].map(
      async (level) => (await readBundle(gzipSync(text, { level }).toString('base64'))).digest,
    );
    expect(new Set(await Promise.all(digests)).size).toBe(1);
  });

  const { zippedBytes, textBytes, bundleBytes } = PACKAGE_LIMITS;

  it.each<[string, () => string, RegExp]>([
    ['nothing', () => '', /^must be base64 of gzip$/],
    ['base64url', () => zipped(content()).replace(/.$/, '-'), /^must be base64 of gzip$/],
    ['no gzip', () => Buffer.from('{}').toString('base64'), /^must be base64 of gzip$/],
    ['a cut end', () => zipped(content()).slice(0, -8), /^must be base64 of gzip$/],
    ['no JSON', () => zipped('module.exports = {}'), /^must be base64 of gzip of JSON$/],
    ['another value', () => zipped(null), /^was not made by cloakroom reactor bundle: its value is another$/],
    ['a later version', () => zipped(content({ version: 2 })), /its version is another$/],
    ['another image', () => zipped(content({ image: 'node22' })), /its image is another$/],
    ['no names', () => zipped(content({ specifiers: [] })), /its specifiers is another$/],
    [
      'too many bytes of gzip',
      () => 'A'.repeat(Math.ceil(((zippedBytes + 4) * 4) / 3 / 4) * 4),
      /^has 1,500,00\d bytes of gzip, of 1,500,000 that it may have$/,
    ],
    [
      'too long a text',
      () => zipped(content({ code: 'x'.repeat(textBytes + 1) })),
      /^has 4,000,001 bytes of text, of 4,000,000 that it may have$/,
    ],
    [
      'too long a text of few characters',
      () => zipped(content({ code: '€'.repeat(textBytes / 2) })),
      /^has more than 5,000,000 bytes inflated, of 5,000,000/,
    ],
    [
      'a bomb',
      () => gzipSync(Buffer.alloc(bundleBytes * 40)).toString('base64'),
      /^has more than 5,000,000 bytes inflated, of 5,000,000/,
    ],
    ['a part of Node.js', () => zipped(bundleContent({ fs: '' })), /^has fs, which is a part of Node.js$/],
    [
      'a part of a part of Node.js',
      () => zipped(bundleContent({ 'fs/promises': '' })),
      /^has fs\/promises, which is a part of Node.js$/,
    ],
    ['a prefixed name', () => zipped(content({ specifiers: ['node:fs'] })), /^has node:fs, which is no name/],
    ['the SDK', () => zipped(bundleContent({ '@cloakroom/sdk': '' })), /which belongs to the runtime$/],
    ['a path', () => zipped(content({ specifiers: ['../../reactor.js'] })), /which is no name of a package$/],
    ['a path in a name', () => zipped(bundleContent({ 'a/../b': '' })), /^has a\/\.\.\/b, which is no name/],
    ['an absolute path', () => zipped(content({ specifiers: ['/etc/passwd'] })), /which is no name/],
    ['__proto__', () => zipped(content({ specifiers: ['__proto__'] })), /^has __proto__, which is no name/],
    [
      'a name that the lock lacks',
      () => zipped(content({ specifiers: ['other'] })),
      /^has other, which its lock has not$/,
    ],
    [
      'a name of Object.prototype',
      () => zipped(content({ specifiers: ['constructor'] })),
      /^has constructor, which its lock has not$/,
    ],
    [
      'too many names',
      () =>
        zipped(
          bundleContent(Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`p${String(at)}`, '']))),
        ),
      /^has 21 packages that code requires, of 20 that it may have$/,
    ],
    [
      'a lock without integrity',
      () => zipped(locked({ 'node_modules/lodash': { version: '1.0.0' } })),
      /^has a package without integrity in its lock: node_modules\/lodash$/,
    ],
    [
      'a lock with SHA-1',
      () => zipped(locked({ 'node_modules/lodash': { version: '1.0.0', integrity: 'sha1-aaaa' } })),
      /^has an entry of the lock that is no package of npm: node_modules\/lodash$/,
    ],
    [
      'a link in the lock',
      () => zipped(locked({ '../other': { link: true } })),
      /^has an entry of the lock that is no package of npm: \.\.\/other$/,
    ],
    [
      'a place outside of the folder of packages',
      () => zipped(locked({ 'some/place/or/node_modules/lodash': aLocked('lodash', '1.0.0') })),
      /no package of npm: some\/place\/or\/node_modules\/lodash$/,
    ],
    [
      'a range in place of a version',
      () => zipped(locked({ 'node_modules/lodash': { ...aLocked('lodash', '1.0.0'), version: '^1' } })),
      /no package of npm: node_modules\/lodash$/,
    ],
    [
      'too many members',
      () =>
        zipped(JSON.stringify(content()).replace('"^1.0.0"', `["${Array(150_000).fill(1).join('","')}"]`)),
      /^has more than 150,000 elements and members$/,
    ],
    [
      'too deep a value',
      () => zipped(JSON.stringify(content()).replace('"^1.0.0"', '['.repeat(65) + ']'.repeat(65))),
      /^is nested deeper than 64 levels$/,
    ],
    [
      'too many characters in its lock',
      () =>
        zipped(
          locked(
            Object.fromEntries(
              Array.from({ length: 480 }, (_, at) => [
                `node_modules/${'p'.repeat(200)}${String(at)}`,
                aLocked('p', '1.0.0'),
              ]),
            ),
          ),
        ),
      /^has names and versions of \d{3},\d{3} characters in its lock, of 100,000$/,
    ],
    [
      'too large a lock',
      () =>
        zipped(
          locked(
            Object.fromEntries(
              Array.from({ length: 501 }, (_, at) => [`node_modules/p${String(at)}`, aLocked('p', '1.0.0')]),
            ),
          ),
        ),
      /^has 501 packages, of 500 that it may have$/,
    ],
  ])('is refused with the reason: %s', async (_what, make, message) => {
    const problem = await problemOf(make());
    expect(problem).toBeInstanceOf(PackageBundleError);
    expect((problem as Error).message).toMatch(message);
  });

  it.each([
    ['a', undefined],
    ['@a/b', undefined],
    ['JSONStream', undefined],
    ['lodash.get/index.js', undefined],
    ['.hidden', 'is no name of a package'],
    ['_private', 'is no name of a package'],
    ['a b', 'is no name of a package'],
    ['@a', 'is no name of a package'],
    ['a//b', 'is no name of a package'],
    ['x'.repeat(215), 'is no name of a package'],
    ['punycode', 'is a part of Node.js'],
    ['sqlite', undefined],
  ])('may have the name %j: %s', (name, reason) => {
    expect(refusedName(name)).toBe(reason);
  });
});

describe('the bill of materials of a bundle', () => {
  it('names each package with version, address, hash and licence, also those of packages', async () => {
    const packages = {
      'node_modules/@scope/name': aLocked('@scope/name', '1.0.0'),
      'node_modules/lodash': { ...aLocked('lodash', '1.0.0'), name: 'lodash-es' },
      'node_modules/lodash/node_modules/deep': { version: '2.0.0-rc.1', inBundle: true },
    };
    const { bundle } = await aPackageBundle(CODES, { lock: { lockfileVersion: 3, packages } });
    const bill = billOfMaterials({ name: 'id' }, bundle);
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      metadata: { component: { name: 'id', hashes: [{ alg: 'SHA-256', content: bundle.digest }] } },
      components: [
        {
          name: '@scope/name',
          version: '1.0.0',
          purl: 'pkg:npm/%40scope/name@1.0.0',
          hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
          licenses: [{ license: { name: 'MIT' } }],
        },
        { name: 'lodash-es', version: '1.0.0', purl: 'pkg:npm/lodash-es@1.0.0' },
        { name: 'deep', version: '2.0.0-rc.1', purl: 'pkg:npm/deep@2.0.0-rc.1' },
      ],
    });
    expect(lockedNames(bundle.locked)).toEqual(['@scope/name@1.0.0', 'deep@2.0.0-rc.1', 'lodash-es@1.0.0']);
  });

  it('leaves out what is no licence, and no address without credentials', async () => {
    const hostile = [
      { license: '\u202e<b>', resolved: 'javascript:alert(1)' },
      { license: 'MIT\u001b[2J', resolved: 'https://user:secret@registry.example.com/a.tgz' },
    ];
    const packages = Object.fromEntries(
      Object.keys(CODES).map((name, at) => [
        `node_modules/${packageOf(name)}`,
        { ...aLocked(name, '1.0.0'), ...hostile[at] },
      ]),
    );
    const { bundle } = await aPackageBundle(CODES, { lock: { lockfileVersion: 3, packages } });
    const { components } = billOfMaterials({ name: 'id' }, bundle) as { components: object[] };
    for (const component of components)
      expect(Object.keys(component)).toEqual(['type', 'bom-ref', 'name', 'version', 'purl', 'hashes']);
  });

  it('is empty without a bundle', () => {
    expect(billOfMaterials({ name: 'id' }, undefined)).toMatchObject({ components: [] });
  });
});

describe('the package at a position', () => {
  const places: readonly PackagePlace[] = [
    [1, 5, 'a'],
    [1, 90, 'b'],
    [3, 1, 'a'],
  ];

  it.each([
    [1, 4, undefined],
    [1, 5, 'a'],
    [1, 89, 'a'],
    [1, 90, 'b'],
    [2, 1, 'b'],
    [3, 1, 'a'],
    [99, 1, 'a'],
  ])('line %d, column %d: %s', (line, column, name) => {
    expect(packageAt(places, line, column)).toBe(name);
  });
});
