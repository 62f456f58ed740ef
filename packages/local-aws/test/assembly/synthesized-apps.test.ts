// The app here is a program of a few lines that counts how often it ran.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CdkApp } from '../../src/assembly/app-key.ts';
import { openSynthesizedApp, type SynthesizedApp } from '../../src/assembly/synthesized-apps.ts';

const PROGRAM = `
  const fs = require('node:fs');
  fs.appendFileSync('runs', 'x');
  const text = fs.existsSync('lib/text') ? fs.readFileSync('lib/text', 'utf8') : '';
  if (text === 'refuse') { console.error('it must not say that'); process.exit(2); }
  const say = { text, context: process.env.CDK_CONTEXT_JSON, account: process.env.TEST_ACCOUNT };
  fs.writeFileSync(process.env.CDK_OUTDIR + '/manifest.json', JSON.stringify(say));
`;

let root = '';
let workDirectory = '';
const opened: SynthesizedApp[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'an-app-'));
  workDirectory = join(root, '.work');
  mkdirSync(join(root, 'lib'));
  writeFileSync(join(root, 'app.cjs'), PROGRAM);
  writeFileSync(join(root, 'lib', 'text'), 'one');
});

afterEach(() => {
  for (const app of opened.splice(0)) app.release();
  rmSync(root, { recursive: true });
  delete process.env['TEST_ACCOUNT'];
});

async function open(more: Partial<CdkApp> = {}, onSynthesis?: () => void): Promise<SynthesizedApp> {
  const inputs = { paths: ['app.cjs', 'lib'], environment: ['TEST_ACCOUNT'] };
  const app = await openSynthesizedApp(
    { root, program: 'app.cjs', inputs, ...more },
    { workDirectory, ...(onSynthesis !== undefined && { onSynthesis }) },
  );
  opened.push(app);
  return app;
}

const runs = () => readFileSync(join(root, 'runs'), 'utf8').length;
const said = ({ directory }: SynthesizedApp) =>
  JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as Record<string, string>;
const apps = () => readdirSync(join(workDirectory, 'apps'));

it('an app with unchanged inputs is not synthesized again', async () => {
  const steps: string[] = [];
  const first = await open({}, () => steps.push('first'));
  const second = await open({}, () => steps.push('second'));
  expect([second.directory, runs(), steps]).toEqual([first.directory, 1, ['first']]);
});

const write = (name: string, text: string) => writeFileSync(join(root, name), text);

const changes: readonly (readonly [what: string, change: () => unknown])[] = [
  ['the content of a file', () => write('lib/text', 'two')],
  ['a new file', () => write('lib/more', '')],
  ['a deleted file', () => rmSync(join(root, 'lib', 'text'))],
  ['a setting', () => ({ context: { size: '2' } })],
  ['the context of cdk.json', () => write('cdk.json', '{"context":{"flag":true}}')],
  ['a variable of the account', () => Reflect.set(process.env, 'TEST_ACCOUNT', '1') && {}],
  ['a name, with the same content', () => write('lib/texu', 'one')],
];

it.each(changes)('%s leads to another app, and undoing the change to the first', async (_what, change) => {
  const before = await open();
  const text = readFileSync(join(root, 'lib', 'text'));
  const more = change() as Partial<CdkApp> | undefined;
  const after = await open(more ?? {});
  expect(after.directory).not.toBe(before.directory);
  expect(runs()).toBe(2);
  for (const name of ['more', 'texu']) rmSync(join(root, 'lib', name), { force: true });
  rmSync(join(root, 'cdk.json'), { force: true });
  delete process.env['TEST_ACCOUNT'];
  writeFileSync(join(root, 'lib', 'text'), text);
  expect(said(await open())).toEqual(said(before));
  expect(runs()).toBe(2);
});

it('content and path of a file are not confused', async () => {
  writeFileSync(join(root, 'lib', 'a'), 'b');
  const first = await open();
  rmSync(join(root, 'lib', 'a'));
  writeFileSync(join(root, 'lib', 'b'), 'a');
  expect((await open()).directory).not.toBe(first.directory);
});

it('a file that is saved during the synthesis leaves no app of two states', async () => {
  const pending = open();
  writeFileSync(join(root, 'lib', 'text'), 'two');
  expect(said(await pending)['text']).toBe('two');
  writeFileSync(join(root, 'lib', 'text'), 'one');
  expect(said(await open())['text']).toBe('one');
});

it('two concurrent starts get the same complete app', async () => {
  const both = await Promise.all([open(), open()]);
  expect(both[0].directory).toBe(both[1].directory);
  expect(said(both[0])['text']).toBe('one');
  expect(apps()).toHaveLength(1);
});

it('an app that fails reports why, and leaves nothing behind', async () => {
  writeFileSync(join(root, 'lib', 'text'), 'refuse');
  await expect(open()).rejects.toThrow(/^it must not say that$/);
  expect(apps()).toEqual([]);
});

it.each([
  ['without its manifest', (app: string) => rmSync(join(app, 'manifest.json'))],
  ['with an empty one', (app: string) => writeFileSync(join(app, 'manifest.json'), '')],
  ['of which only the folder is left', (app: string) => rmSync(app, { recursive: true })],
])('a stored app %s is synthesized again', async (_what, damage) => {
  const first = await open();
  first.release();
  damage(first.directory);
  expect(said(await open())['text']).toBe('one');
  expect(runs()).toBe(2);
});

it('a damaged app that another service uses is left to it', async () => {
  const { directory } = await open();
  writeFileSync(join(directory, 'manifest.json'), '');
  await expect(open()).rejects.toThrow(/ is damaged: stop the service that runs it, and remove it$/);
});

it('the marks of killed services are ignored, even if their process ids are reused', async () => {
  const first = await open({ context: { n: '0' } });
  first.release();
  utimesSync(dirname(first.directory), 1, 1);
  writeFileSync(join(dirname(first.directory), `used-by-${String(process.pid)}-1-x`), '');
  for (const n of ['1', '2', '3']) (await open({ context: { n } })).release();
  expect(existsSync(first.directory)).toBe(false);
});

it('the two latest unused apps are retained, and leftovers of killed starts are removed', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const used = await open({ context: { n: 'used' } });
  utimesSync(dirname(used.directory), 1, 1);
  mkdirSync(join(workDirectory, 'apps', `unfinished-${String(pid)}-1-abcdef`));
  for (const n of ['1', '2', '3', '4']) {
    const app = await open({ context: { n } });
    app.release();
    utimesSync(dirname(app.directory), Number(n) + 1, Number(n) + 1);
  }
  // Two apps stay besides those that starts use.
  expect(apps()).toHaveLength(4);
  expect(existsSync(used.directory)).toBe(true);
  const before = runs();
  await open({ context: { n: '3' } });
  expect(runs()).toBe(before);
  await open({ context: { n: '1' } });
  expect(runs()).toBe(before + 1);
});
