import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { startProgram, type StartOptions } from '../../../bin/start/options.ts';
import { commandLine } from '../../support/command-line.ts';

async function parsed(args: readonly string[]): Promise<StartOptions | undefined> {
  let options: StartOptions | undefined;
  const program = startProgram((chosen) => Promise.resolve(void (options = chosen)));
  await program.parseAsync(args, { from: 'user' });
  return options;
}

it('the defaults apply without options', async () => {
  expect(await parsed([])).toEqual({
    port: 8787,
    tickSeconds: 60,
    settings: {},
    faults: [],
    faultSeed: 1,
    trust: [],
    sample: false,
    verbose: false,
  });
});

it('every option is applied, with paths from the folder of the caller', async () => {
  const args = [
    '--port',
    '0',
    '--data',
    'd',
    '--credentials',
    '/c.json',
    '--tick=0.5',
    '--verbose',
    '--sample',
  ];
  const settings = ['--set', 'headerPrefixes=SVC,ACME', '--set', 'egressAllowList='];
  const trust = ['--trust', 'a.pem', '--trust', '/b.pem'];
  const faults = ['--fault', 'kms:down:1', '--fault', 'sqs:delay:500', '--fault-seed', '7'];
  expect(await parsed([...args, ...settings, ...faults, ...trust])).toEqual({
    port: 0,
    dataDirectory: resolve('d'),
    credentialsFile: '/c.json',
    tickSeconds: 0.5,
    sample: true,
    verbose: true,
    settings: { headerPrefixes: 'SVC,ACME', egressAllowList: '' },
    faults: ['kms:down:1', 'sqs:delay:500'],
    faultSeed: 7,
    trust: [resolve('a.pem'), '/b.pem'],
  });
});

it('an app that is already synthesized is found by its path', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-options-'));
  writeFileSync(join(folder, 'manifest.json'), '{}');
  const app = relative('.', folder);
  expect(await parsed(['--app', app, '--stage', 'Tests'])).toMatchObject({
    appDirectory: folder,
    stage: 'Tests',
  });
  rmSync(folder, { recursive: true });
});

it.each([
  [['--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
  [['extra'], "too many arguments for 'start'. Expected 0 arguments but got 1."],
  [['--port'], "option '--port <N>' argument missing"],
  [['--port', '65536'], '--port must be a number from 0 to 65535, not 65536'],
  [['--port', '80a'], '--port must be a number from 0 to 65535, not 80a'],
  [['--port', ''], '--port must be a number from 0 to 65535, not '],
  [['--tick', '0'], '--tick must be a number of seconds over 0, not 0'],
  [['--tick', 'fast'], '--tick must be a number of seconds over 0, not fast'],
  [['--stage', 'Production'], '--stage needs the --app that has it'],
  [
    ['--app', 'cdk.out', '--set', 'throttleRate=1'],
    '--set has no effect on a synthesized app: remove --app or --set',
  ],
  [['--set', 'throttleRate=1', '--set', 'throttleRate=2'], '--set throttleRate appears twice'],
  [['--set', 'name'], '--set needs NAME=VALUE, not name'],
  [['--set', '=value'], '--set needs NAME=VALUE, not =value'],
  [['--data', ''], '--data needs a path'],
  [['--data', 'package.json'], `--data: ${resolve('package.json')} is not a folder`],
  [['--app', 'docs'], `${resolve('docs')} is not a synthesized app, which has a manifest.json`],
  [['--trust', ''], '--trust needs a path'],
  [['--fault', 'kms:down'], '--fault kms:down: a fault is SERVICE:KIND:VALUE'],
  [['--fault', 'kms/Decript:down:1'], '--fault kms/Decript:down:1: kms has no action Decript (Decrypt, '],
  [['--fault-seed', '-1'], '--fault-seed must be a whole number below 2^32, not -1'],
  [['--fault-seed', 'x'], '--fault-seed must be a whole number below 2^32, not x'],
])('%j is rejected in one line, with exit code 2', async (args, problem) => {
  const { exitCode, out, err } = await commandLine(['start', ...args]);
  expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(`cloakroom: ${problem}`)]);
  expect(err.trimEnd()).not.toContain('\n');
});
