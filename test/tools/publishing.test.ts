import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { moveVersion } from '../../tools/publishing/move-version.ts';
import { PUBLISHED_NODES } from '../../lib/reactor-node.ts';
import {
  changelogsOf,
  publishedPackages,
  readManifest,
  sharedMembers,
  workspacesOf,
} from '../../tools/publishing/published-packages.ts';

const SERVICE_VERSION = 'src/core/shared/service-version.ts';

const run = promisify(execFile);
const service = readManifest('.');

describe('every published package', () => {
  it.each(publishedPackages('.'))('$directory has what a registry shows of it', ({ directory, manifest }) => {
    // `npm run build -- version` writes these from the root package.json.
    expect(manifest).toMatchObject(sharedMembers(service, directory));
    expect(manifest).toMatchObject({
      name: expect.stringMatching(/^@cloakroom\/[a-z]+$/),
      description: expect.stringMatching(/^.{40,200}$/),
      keywords: expect.arrayContaining(['tokenization']),
      repository: { type: 'git', url: expect.stringMatching(/^git\+https:\/\/.+\.git$/), directory },
      bugs: { url: expect.stringMatching(/^https:/) },
      homepage: expect.stringMatching(/^https:/),
      author: expect.stringMatching(/./),
      engines: { node: expect.stringMatching(/^>=\d+$/) },
      files: expect.arrayContaining(['dist', 'CHANGELOG.md']),
    });
    // A lifecycle script would run on the machine of every user.
    expect(manifest).not.toHaveProperty('scripts');
  });

  it('the SDK is among them, and the simulation of AWS is not', () => {
    const names = publishedPackages('.').map(({ manifest }) => manifest.name);
    expect(names).toContain('@cloakroom/sdk');
    expect(names).not.toContain('@cloakroom/local-aws');
  });

  it('depends on others of this repository at exactly its own version', () => {
    const workspaces = workspacesOf('.');
    const names = workspaces.map(({ manifest }) => manifest.name);
    for (const { manifest } of workspaces) {
      expect(manifest.version).toBe(service.version);
      const { dependencies = {}, peerDependencies = {} } = manifest as Record<string, object>;
      for (const [name, spec] of Object.entries({ ...dependencies, ...peerDependencies }))
        if (names.includes(name))
          expect([manifest.name, name, spec]).toEqual([manifest.name, name, service.version]);
    }
  });
});

describe('every package with a binary', () => {
  it.each(PUBLISHED_NODES)(
    '$packageName has the version of the binary, and nothing that runs or refuses',
    ({ packageName, version }) => {
      const directory = `packages/${packageName}`;
      const { version: _, ...shared } = sharedMembers(service, directory);
      const manifest = readManifest(directory);
      expect(manifest).toMatchObject({ ...shared, license: 'MIT', version });
      // A command would shadow the Node of a project, and a layer may be for another platform.
      for (const member of ['bin', 'scripts', 'os', 'cpu', 'engines'])
        expect(manifest).not.toHaveProperty(member);
    },
  );
});

describe('a changelog', () => {
  it('exists for the service and for every published package', () => {
    const directories = publishedPackages('.').map(({ directory }) => directory);
    expect(changelogsOf('.').map((file) => dirname(file))).toEqual(['.', ...directories]);
  });

  it.each(changelogsOf('.'))('%s begins with Unreleased or the version of its package', (file) => {
    const [first, second] = [...readFileSync(file, 'utf8').matchAll(/^## (.*)$/gm)].map(([, text]) => text);
    // Only a package that was never released has nothing below "Unreleased".
    const newest = first === '[Unreleased]' ? second : first;
    expect(first).toBeDefined();
    expect(newest ?? `[${service.version}] - 2026-01-01`).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/);
    expect(newest ?? `[${service.version}]`).toContain(`[${service.version}]`);
  });
});

describe('npm run build -- version', () => {
  const NEXT = '9.10.0';
  let copy: string;

  const read = (file: string) => readFileSync(join(copy, file), 'utf8');
  const json = (file: string): any => JSON.parse(read(file));
  const write = (file: string, value: object) => {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), `${JSON.stringify(value, null, 2)}\n`);
  };

  /** The files that the command changes, with a second package that depends on the SDK. */
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'cloakroom-version-'));
    const files = ['package.json', 'package-lock.json', 'docs/openapi.json', 'docs/sdk.md', SERVICE_VERSION];
    mkdirSync(join(copy, dirname(SERVICE_VERSION)), { recursive: true });
    for (const file of [...files, 'CHANGELOG.md']) cpSync(file, join(copy, file));
    for (const { directory } of workspacesOf('.'))
      for (const file of ['package.json', 'README.md', 'CHANGELOG.md'].map((name) => join(directory, name)))
        if (existsSync(file)) cpSync(file, join(copy, file));
    const { version } = service;
    const other = {
      name: '@cloakroom/other',
      version,
      dependencies: { '@cloakroom/sdk': version, zod: '4.6.7' },
    };
    write('packages/other/package.json', { ...other, devDependencies: { '@cloakroom/local-aws': version } });
    writeFileSync(
      join(copy, 'packages/other/CHANGELOG.md'),
      `# Changelog\n\n## [${version}] - 2026-11-22\n\nFirst.\n`,
    );
    const lock = json('package-lock.json');
    const entry = { ...json('packages/other/package.json'), license: 'Apache-2.0' };
    const link = { resolved: 'packages/other', link: true };
    const packages = { ...lock.packages, 'node_modules/@cloakroom/other': link, 'packages/other': entry };
    write('package-lock.json', { ...lock, packages });
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  it('moves every package, what they require of each other, and the lockfile', async () => {
    moveVersion(copy, NEXT, '2027-01-02', []);
    const lock = json('package-lock.json');
    for (const directory of ['', ...workspacesOf(copy).map((workspace) => workspace.directory)]) {
      expect(json(join(directory, 'package.json')).version).toBe(NEXT);
      expect(lock.packages[directory].version).toBe(NEXT);
    }
    const dependencies = { '@cloakroom/sdk': NEXT, zod: '4.6.7' };
    const required = { dependencies, devDependencies: { '@cloakroom/local-aws': NEXT } };
    expect(json('packages/other/package.json')).toMatchObject(required);
    expect(lock.packages['packages/other']).toMatchObject(required);
    expect([lock.version, json('docs/openapi.json').info.version]).toEqual([NEXT, NEXT]);
    expect(read(SERVICE_VERSION)).toContain(`= '${NEXT}'`);
    expect(read('docs/sdk.md')).toContain(`cloakroom-sdk-${NEXT}.tgz`);
    expect(read('docs/sdk.md') + read('packages/sdk/README.md')).not.toContain(`-${service.version}.tgz`);
    // npm rejects a lockfile that differs from the packages.
    await run('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit'], { cwd: copy });
  });

  it('changes nothing else of these files', () => {
    const before = read('package-lock.json').split('\n');
    moveVersion(copy, NEXT, '2027-01-02', []);
    const after = read('package-lock.json').split('\n');
    const changed = after.filter((line, at) => line !== before[at]);
    expect(after).toHaveLength(before.length);
    expect(changed.filter((line) => !line.includes(`"${NEXT}"`))).toEqual([]);
    const document = readFileSync('docs/openapi.json', 'utf8');
    expect(read('docs/openapi.json')).toBe(
      document.replaceAll(`version": "${service.version}"`, `version": "${NEXT}"`),
    );
  });

  it('gives every changelog the version with its date', () => {
    const heading = `## [${NEXT}] - 2027-01-02`;
    const before = read('packages/sdk/CHANGELOG.md');
    const unreleased = before.replace(/^(?=## )/m, '## [Unreleased]\n\n- A new option.\n\n');
    writeFileSync(join(copy, 'packages/sdk/CHANGELOG.md'), unreleased);
    moveVersion(copy, NEXT, '2027-01-02', []);
    for (const file of changelogsOf(copy)) {
      const [first] = /^## .*$/m.exec(read(file)) ?? [];
      expect([file, first]).toEqual([file, heading]);
      expect(read(file)).not.toContain('[Unreleased]');
    }
    expect(read('packages/other/CHANGELOG.md')).toContain(
      `${heading}\n\nNothing in this package changed.\n\n## [`,
    );
    expect(read('packages/sdk/CHANGELOG.md').replace(`${heading}\n\n- A new option.\n\n`, '')).toBe(before);
  });

  it('dates the entries of the current version as long as it has no tag', () => {
    const heading = `## [${service.version}] - 2027-01-02`;
    const manifest = read('package.json');
    moveVersion(copy, service.version, '2027-01-02', ['v0.0.1']);
    for (const file of changelogsOf(copy)) {
      const original = existsSync(file) ? readFileSync(file, 'utf8') : read(file);
      expect([file, read(file)]).toEqual([file, original.replace(/^## .*$/m, heading)]);
    }
    expect(read('package.json')).toBe(manifest);
  });

  it('rejects a version that has an entry beside "Unreleased"', () => {
    const before = read('CHANGELOG.md').replace(/^(?=## )/m, '## [Unreleased]\n\n- More.\n\n');
    writeFileSync(join(copy, 'CHANGELOG.md'), before);
    expect(() => moveVersion(copy, service.version, '2027-01-02', [])).toThrow('make one of both');
    expect(read('CHANGELOG.md')).toBe(before);
  });

  it('writes only the repository of package.json into the packages if it gets no version', () => {
    const changelog = read('CHANGELOG.md');
    const repository = { type: 'git', url: 'git+https://git.example.com/else.git' };
    write('package.json', { ...json('package.json'), repository });
    moveVersion(copy, undefined, '2027-01-02', []);
    const sdk = json('packages/sdk/package.json');
    expect(sdk).toMatchObject({
      version: service.version,
      repository: { ...repository, directory: 'packages/sdk' },
    });
    expect(json('packages/local-aws/package.json')).not.toHaveProperty('repository');
    expect(read('CHANGELOG.md')).toBe(changelog);
  });

  it.each(['1', 'v9.0.0', '9.0', '9.0.0-rc.1', '09.0.0', '0.0.9', service.version])(
    'rejects %s',
    (version) => {
      const before = read('package.json');
      expect(() => moveVersion(copy, version, '2027-01-02', [`v${service.version}`])).toThrow(RangeError);
      expect(read('package.json')).toBe(before);
    },
  );
});
