import { BundleError } from '../../../../bin/reactor/bundle-error.ts';
import type { LockEntry, Manifest } from '../../../../bin/reactor/packages/lock.ts';
import { pruneLock } from '../../../../bin/reactor/packages/prune-lock.ts';
import { integrityOf } from '../../../support/package-archive.ts';

const INTEGRITY = integrityOf('archive');
const entry = (more: Partial<LockEntry> = {}): LockEntry => ({
  version: '1.0.0',
  resolved: 'https://registry.example/a.tgz',
  integrity: INTEGRITY,
  ...more,
});

type Entries = Readonly<Record<string, LockEntry>>;

/** A project whose lock agrees with its manifest. */
const project = (entries: Entries, manifest: Manifest = { dependencies: { a: '^1.0.0' } }) => ({
  manifest,
  lock: { packages: { '': { ...manifest }, ...entries } },
});

const placesOf = (entries: Entries, names: readonly string[] = ['a'], manifest?: Manifest) =>
  Object.keys(pruneLock(project(entries, manifest), names).lock.packages).slice(1);

describe('pruneLock', () => {
  it('leaves the packages that Node.js finds from the required ones, in one order', () => {
    const entries = {
      'node_modules/z': entry({ dev: true } as Partial<LockEntry>),
      'node_modules/a': entry({
        dependencies: { b: '1' },
        optionalDependencies: { o: '1', 'not-there': '1' },
        peerDependencies: { p: '1', q: '1' },
        peerDependenciesMeta: { q: { optional: true } },
      }),
      'node_modules/b': entry({ version: '2.0.0' }),
      'node_modules/a/node_modules/b': entry({ dependencies: { c: '1' } }),
      'node_modules/a/node_modules/c': entry(),
      'node_modules/c': entry(),
      'node_modules/o': entry(),
      'node_modules/p': entry(),
      'node_modules/q': entry(),
    };
    const expected = [
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/a/node_modules/c',
      'node_modules/o',
      'node_modules/p',
    ];
    expect(placesOf(entries)).toEqual(expected);
    expect(placesOf(Object.fromEntries(Object.entries(entries).toReversed()))).toEqual(expected);
  });

  it('is the same for a lock that it has pruned', () => {
    const pruned = pruneLock(
      project(
        {
          'node_modules/a': entry({ dependencies: { b: '1' }, license: 'MIT' }),
          'node_modules/b': entry({ bundleDependencies: ['c'], dependencies: { c: '1' } }),
          'node_modules/b/node_modules/c': { version: '1.0.0', inBundle: true },
        },
        { dependencies: { a: '^1.0.0', x: '1' }, overrides: { b: '1.0.0', x: { y: '2' } } },
      ),
      ['a/file', 'a'],
    );
    const { manifest, lock } = pruned;
    expect(manifest).toEqual({ dependencies: { a: '^1.0.0' }, overrides: { b: '1.0.0' } });
    const packages = lock.packages as Entries;
    expect(pruneLock({ manifest, lock: { packages } }, ['a', 'a/file'])).toEqual(pruned);
  });

  it('writes addresses without what may be a credential', () => {
    const resolved = 'https://user:secret@registry.example:8443/a.tgz?token=secret#secret';
    const { lock } = pruneLock(project({ 'node_modules/a': entry({ resolved }) }), ['a']);
    expect(lock.packages['node_modules/a']).toMatchObject({
      resolved: 'https://registry.example:8443/a.tgz',
    });
  });

  it('takes the SHA-512 of several hashes', () => {
    const integrity = `sha1-AAAA ${INTEGRITY}`;
    const { lock } = pruneLock(project({ 'node_modules/a': entry({ integrity }) }), ['a']);
    expect(lock.packages['node_modules/a']).toMatchObject({ integrity: INTEGRITY });
  });

  it('replaces references to dependencies in overrides, and leaves those of other packages out', () => {
    const manifest = {
      dependencies: { a: '^1.0.0' },
      devDependencies: { b: '~2.0.0' },
      overrides: { 'a@1': { b: '$b' }, other: 'file:../elsewhere' },
    };
    const entries = { 'node_modules/a': entry({ dependencies: { b: '1' } }), 'node_modules/b': entry() };
    expect(pruneLock(project(entries, manifest), ['a']).manifest.overrides).toEqual({
      'a@1': { b: '~2.0.0' },
    });
  });

  it('names native addons that packages work without', () => {
    const entries = {
      'node_modules/a': entry({ optionalDependencies: { native: '1' } }),
      'node_modules/native': entry({ os: ['darwin'] }),
    };
    expect(pruneLock(project(entries), ['a']).absent).toEqual(['native']);
  });

  const a = (more: Partial<LockEntry>): Entries => ({ 'node_modules/a': entry(more) });
  const { integrity: _integrity, ...withoutIntegrity } = entry();
  const { resolved: _resolved, ...bundled } = { ...withoutIntegrity, inBundle: true };

  it.each<readonly [string, Entries, string]>([
    ['a package that the lock lacks', {}, 'package-lock.json lacks a, which the code requires'],
    ['a package that another lacks', a({ dependencies: { b: '1' } }), 'lacks b, which a requires'],
    ['a link', a({ link: true, resolved: 'packages/a' }), 'a is a link to a folder'],
    ['git', a({ resolved: 'git+ssh://git@git.example/a.git#0123' }), 'a comes from git+ssh'],
    ['a file', a({ resolved: 'file:../a.tgz' }), 'a comes from file'],
    ['a path', a({ resolved: '../a.tgz' }), 'a comes from a folder or file'],
    ['no integrity', { 'node_modules/a': withoutIntegrity }, 'a has no integrity'],
    ['SHA-1 alone', a({ integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }), 'that is no SHA-512'],
    ['an alias of no name', a({ name: '../b' }), 'which is no name of npm'],
    ['no version', a({ version: 'latest' }), 'a has no exact version'],
    ['a lock of its own', a({ hasShrinkwrap: true }), 'a has a lock of its own'],
    ['a name with a path', a({ dependencies: { '../b': '1' } }), 'a requires "../b", which is no name'],
    ['the name __proto__', a({ dependencies: JSON.parse('{"__proto__":"1"}') }), 'which is no name'],
    ['git by a package', a({ dependencies: { b: 'git+ssh://-oProxyCommand=x/b' } }), 'b from elsewhere'],
    ['a folder by a package', a({ optionalDependencies: { b: '..' } }), 'b from elsewhere'],
    ['an archive by a package', a({ peerDependencies: { b: 'b.tgz' } }), 'b from elsewhere'],
    ['GitHub by a package', a({ dependencies: { b: 'owner/b' } }), 'b from elsewhere'],
    ['an alias of an address', a({ dependencies: { b: 'npm:c@https://b.example' } }), 'b from elsewhere'],
    ['an addon', a({ dependencies: { bindings: '1' } }), 'package-lock.json lacks bindings'],
    [
      'an addon of a package',
      {
        ...a({ dependencies: { b: '1' } }),
        'node_modules/b': entry({ dependencies: { 'node-gyp-build': '4' } }),
        'node_modules/node-gyp-build': entry(),
      },
      'b, which a requires, is a native addon (it requires node-gyp-build)',
    ],
    ['a package for one platform', a({ cpu: ['x64'] }), 'a is a native addon'],
    [
      'a package that says to be in an archive',
      { ...a({ dependencies: { b: '1' } }), 'node_modules/b': bundled },
      'b has no integrity',
    ],
    [
      'a package that is in no archive above it',
      { ...a({ dependencies: { b: '1' } }), 'node_modules/a/node_modules/b': bundled },
      'b has no integrity',
    ],
    [
      'a package in an archive, with an address',
      {
        ...a({ dependencies: { b: '1' }, bundleDependencies: true }),
        'node_modules/a/node_modules/b': { ...bundled, resolved: 'https://b.example/b.tgz' },
      },
      'b has no integrity',
    ],
  ])('refuses %s', (_what, entries, reason) => {
    expect(() => pruneLock(project(entries), ['a'])).toThrow(BundleError);
    expect(() => pruneLock(project(entries), ['a'])).toThrow(reason);
  });

  it.each<readonly [string, Manifest, string]>([
    ['no dependency', {}, 'a is not in dependencies of package.json. Run: npm install a'],
    ['a development dependency', { devDependencies: { a: '1' } }, 'a is in devDependencies alone'],
    ['a peer', { peerDependencies: { a: '1' } }, 'is optional or a peer'],
    ['an optional dependency', { dependencies: { a: '1' }, optionalDependencies: { a: '1' } }, 'is optional'],
    ['git', { dependencies: { a: 'git+https://git.example/a' } }, 'a is not from a registry'],
    ['a folder', { dependencies: { a: 'file:../a' } }, 'a is not from a registry'],
    ['a workspace', { dependencies: { a: 'workspace:*' } }, 'a is not from a registry'],
    ['overrides by a folder', { dependencies: { a: '1' }, overrides: { a: 'file:..' } }, 'overrides'],
    ['overrides by no name', { dependencies: { a: '1' }, overrides: { '../a': '1' } }, 'overrides'],
    ['overrides by no dependency', { dependencies: { a: '1' }, overrides: { a: '$b' } }, 'overrides'],
    ['overrides that are a list', { dependencies: { a: '1' }, overrides: ['a'] }, 'cannot be read'],
  ])('refuses %s of package.json', (_what, manifest, reason) => {
    expect(() => pruneLock(project(a({}), manifest), ['a'])).toThrow(reason);
  });

  it('refuses a lock that does not agree with package.json', () => {
    const { lock } = project(a({}), { dependencies: { a: '^2.0.0' } });
    expect(() => pruneLock({ manifest: { dependencies: { a: '^1.0.0' } }, lock }, ['a'])).toThrow(
      'package-lock.json and package.json ask for different a',
    );
  });

  it('refuses more packages than a bundle may have', () => {
    const names = Array.from({ length: 21 }, (_, at) => `p${String(at)}`);
    const dependencies = Object.fromEntries(names.map((name) => [name, '1']));
    expect(() => pruneLock(project({}, { dependencies }), names)).toThrow('21 packages, of 20');
    const many = Array.from({ length: 500 }, (_, at) => `q${String(at)}`);
    const entries = Object.fromEntries(many.map((name) => [`node_modules/${name}`, entry()]));
    const top = a({ dependencies: Object.fromEntries(many.map((name) => [name, '1'])) });
    expect(() => pruneLock(project({ ...entries, ...top }), ['a'])).toThrow('501 packages, of 500');
  });
});
