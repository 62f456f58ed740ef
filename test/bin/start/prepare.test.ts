// The preparation of the first start, which `npm ci` runs, in a copy of the repository.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYNTHESIS_INPUTS } from '../../../bin/start/synthesis-inputs.ts';
import { inThoroughRun } from '../../../packages/test-kit/src/which-runs.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folders: string[] = [];
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The build of the documentation needs these too. */
const DOCS = ['docs', 'site', 'tools', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', '.github'];

/** A repository whose CDK app may be another program, in a folder whose name any may have. */
function aRepository(program?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'prepäre it?%20#1-'));
  folders.push(folder);
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  const linked = SYNTHESIS_INPUTS.paths
    .map((path) => path.split('/')[0] ?? '')
    .filter((name) => name !== 'bin' && name !== 'packages');
  for (const name of new Set([...linked, ...DOCS])) symlinkSync(join(root, name), join(folder, name));
  // The program runs what is in `bin` beside it.
  cpSync(join(root, 'packages', 'cli'), join(folder, 'packages', 'cli'), { recursive: true });
  for (const name of readdirSync(join(root, 'packages')).filter((each) => each !== 'cli'))
    symlinkSync(join(root, 'packages', name), join(folder, 'packages', name));
  if (program !== undefined) writeFileSync(join(folder, 'bin', 'cloakroom.ts'), program);
  return folder;
}

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<number | null>;
}

function run(folder: string, script: string, env: NodeJS.ProcessEnv = {}, ...args: readonly string[]): Run {
  const { CI: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [join(folder, 'bin', script), ...args], {
    cwd: folder,
    env: { ...inherited, ...env },
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exit = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  return { child, output: () => output, exit };
}

async function prepare(folder: string, env: NodeJS.ProcessEnv = {}): Promise<[number | null, string]> {
  const prepared = run(folder, 'prepare.cjs', env);
  return [await prepared.exit, prepared.output()];
}

const apps = (folder: string) => readdirSync(join(folder, '.local', 'apps'));
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
};

inThoroughRun.it(
  'the first start after a preparation finds the app synthesized and all code compiled',
  async () => {
    const folder = aRepository();
    expect(await prepare(folder)).toEqual([0, '']);
    expect(apps(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(existsSync(join(folder, '.local', 'docs', 'index.html'))).toBe(true);
    const compiled = () => globSync(join(folder, '.local', '**', 'compile-cache', '*', '*')).toSorted();
    const before = compiled();
    const started = run(folder, 'start.cjs', {}, '--port', '0');
    await until(() => started.output().includes('Ready.') || started.child.exitCode !== null);
    expect(started.output()).toContain('Ready.');
    expect(started.output()).not.toContain('synthesizing');
    started.child.kill('SIGINT');
    expect(await started.exit).toBe(0);
    expect([apps(folder).length, compiled()]).toEqual([1, before]);
  },
);

it('an app that cannot be prepared fails no installation, and the reason is printed', async () => {
  const folder = aRepository('throw "no app today";');
  const [code, output] = await prepare(folder);
  expect(code).toBe(0);
  expect(output).toMatch(/^The first npm start is not prepared and will take longer: [^]*no app today/);
  expect(apps(folder)).toEqual([]);
});

it('an interrupted preparation ends at once and leaves no app', async () => {
  const folder = aRepository('setTimeout(() => {}, 600_000);');
  const prepared = run(folder, 'prepare.cjs');
  await until(() => existsSync(join(folder, '.local', 'apps')) && apps(folder).length > 0);
  prepared.child.kill('SIGTERM');
  expect([await prepared.exit, prepared.output()]).toEqual([1, '']);
  expect(apps(folder)).toEqual([]);
});

it('an installation succeeds where only the manifests are there, or Node strips no types', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { prepare: string };
  };
  const folder = mkdtempSync(join(tmpdir(), 'prepare-'));
  folders.push(folder);
  const { CI: _, ...env } = process.env;
  const install = (cwd: string, more: NodeJS.ProcessEnv = {}) =>
    spawnSync('sh', ['-c', scripts.prepare], { cwd, env: { ...env, ...more }, encoding: 'utf8' });
  expect(install(folder)).toMatchObject({ status: 0, stderr: '' });
  const { status, stderr } = install(aRepository(), { NODE_OPTIONS: '--no-experimental-strip-types' });
  expect(status).toBe(0);
  expect(stderr).toContain('The first npm start is not prepared');
});

it.each([
  ['in CI', { CI: 'true' }, true],
  ['without the development packages', {}, false],
])('nothing is prepared %s', async (_where, env, hasPackages) => {
  const folder = mkdtempSync(join(tmpdir(), 'prepare-'));
  folders.push(folder);
  mkdirSync(join(folder, 'bin'));
  cpSync(join(root, 'bin', 'prepare.cjs'), join(folder, 'bin', 'prepare.cjs'));
  if (hasPackages) mkdirSync(join(folder, 'node_modules', 'esbuild'), { recursive: true });
  expect(await prepare(folder, env)).toEqual([0, '']);
  expect(existsSync(join(folder, '.local'))).toBe(false);
});

describe('the git hooks', () => {
  const git = (folder: string, ...args: readonly string[]) =>
    spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout.trim();

  /** A clone before its packages are there. Node cannot prepare a start in it. */
  function aClone(): string {
    const folder = mkdtempSync(join(tmpdir(), 'prepare-'));
    folders.push(folder);
    cpSync(join(root, 'bin', 'prepare.cjs'), join(folder, 'bin', 'prepare.cjs'));
    cpSync(join(root, '.githooks'), join(folder, '.githooks'), { recursive: true });
    git(folder, 'init', '--quiet');
    return folder;
  }

  it('reject a long subject after an installation', async () => {
    const folder = aClone();
    expect(await prepare(folder)).toEqual([0, '']);
    expect(git(folder, 'config', 'core.hooksPath')).toBe('.githooks');
    const commit = (subject: string) =>
      spawnSync(
        'git',
        ['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--allow-empty', '-m', subject],
        { cwd: folder, encoding: 'utf8' },
      );
    expect(commit('x'.repeat(73))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The subject has 73 characters'),
    });
    expect(commit('x'.repeat(72)).status).toBe(0);
  });

  it('stay those that a person has configured', async () => {
    const folder = aClone();
    git(folder, 'config', 'core.hooksPath', '/my/hooks');
    expect(await prepare(folder)).toEqual([0, '']);
    expect(git(folder, 'config', 'core.hooksPath')).toBe('/my/hooks');
  });

  it('are not activated in CI', async () => {
    const folder = aClone();
    expect(await prepare(folder, { CI: 'true' })).toEqual([0, '']);
    expect(git(folder, 'config', 'core.hooksPath')).toBe('');
  });

  it.each<[string, (folder: string) => NodeJS.ProcessEnv]>([
    ['git is missing', () => ({ PATH: '/nonexistent' })],
    [
      'the folder is no clone',
      (folder) => {
        rmSync(join(folder, '.git'), { recursive: true });
        return {};
      },
    ],
    [
      'git rejects the folder',
      (folder) => {
        writeFileSync(join(folder, '.git', 'config'), 'no configuration');
        return {};
      },
    ],
  ])('fail no installation if %s', async (_why, arrange) => {
    const folder = aClone();
    expect(await prepare(folder, arrange(folder))).toEqual([0, '']);
  });
});
