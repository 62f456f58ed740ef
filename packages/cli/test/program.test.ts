import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { commandLine } from '../../../test/support/command-line.ts';
import { COMMANDS } from '../src/commands.ts';
import { completionScript } from '../src/completion.ts';

const PROGRAM = 'packages/cli/bin/cloakroom.cjs';

describe('cloakroom', () => {
  it('lists its commands and exit codes, and says so on standard error without a command', async () => {
    const help = await commandLine(['--help']);
    for (const { name, does } of COMMANDS) {
      const [first = ''] = does.split(' ');
      expect(help.out).toMatch(new RegExp(`^  ${name} +${first} `, 'm'));
    }
    expect(help.out).toContain('Exit codes');
    expect(await commandLine(['help'])).toEqual(help);
    expect(await commandLine([])).toEqual({ exitCode: 2, out: '', err: help.out });
  });

  it('loads no file of a command for its own help', () => {
    const trace = `
      const { registerHooks } = await import('node:module');
      registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
      process.argv.push('--help');
      await import(${JSON.stringify(join(process.cwd(), 'packages/cli/src/program.ts'))});`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', trace], {
      encoding: 'utf8',
    });
    const loaded = stdout.split('\n').filter((line) => line.startsWith('file:'));
    expect(
      loaded.filter((url) => !/\/(?:commander|packages\/cli\/src|bin\/command-line)\//.test(url)),
    ).toEqual([]);
    expect(loaded.length).toBeGreaterThan(3);
  });

  it('prints the version of its package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    const printed = { exitCode: 0, out: `${version}\n`, err: '' };
    expect(await commandLine(['version'])).toEqual(printed);
    expect(await commandLine(['--version'])).toEqual(printed);
  });

  it.each([
    [['operatr', 'health'], "unknown command 'operatr' (Did you mean operator?)"],
    [['operator', 'helth'], "unknown command 'helth' (Did you mean health?)"],
    [['help', 'operatr'], "unknown command 'operatr' (Did you mean operator?)"],
    [['help', 'operator', 'helth'], "unknown command 'helth' (Did you mean health?)"],
    [['--vers'], "unknown option '--vers' (Did you mean --version?)"],
    [['start', '--port', '1', '--port', '2'], '--port appears twice'],
    [['operator', '--function', 'a', 'health', '--function', 'b'], '--function appears twice'],
    [['operator', 'create-tenant', '--name', 'a', '--name', 'b'], '--name appears twice'],
    [['logs', '--header-prefix', 'A', '--header-prefix', 'A'], '--header-prefix appears twice'],
    [['tokens', 'list', '--json', '--json'], '--json appears twice'],
  ])('%j is rejected in one line, with exit code 2 and the nearest name', async (args, problem) => {
    expect(await commandLine(args)).toEqual({ exitCode: 2, out: '', err: `cloakroom: ${problem}\n` });
  });

  it('explains a command by help as by --help', async () => {
    const help = await commandLine(['operator', 'restore', 'beside', '--help']);
    expect(help.out).toContain('Usage: cloakroom operator restore beside [options] <TIME> <TABLE...>');
    for (const args of [
      ['help', 'operator', 'restore', 'beside'],
      ['operator', 'help', 'restore', 'beside'],
    ])
      expect(await commandLine(args)).toEqual(help);
  });

  it.each(['help', 'help operator', 'help operator health', 'help reactor run', 'help check-upgrade'])(
    '`%s` separates its parts by one empty line, and ends without one',
    async (words) => {
      const { out } = await commandLine(words.split(' '));
      expect(out).not.toMatch(/\n\n(?:\n|$)/);
      expect(out).toMatch(/\n\nExit codes\n(?:.+\n){3}$/);
    },
  );

  it('names the Node.js that it needs, on an older one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloakroom-cli-'));
    const older = join(folder, 'older.cjs');
    writeFileSync(older, `Object.defineProperty(process.versions, 'node', { value: '20.11.0' });`);
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', older, PROGRAM, 'version'], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect([status, stdout, stderr]).toEqual([
      ...[2, '', 'cloakroom needs Node.js 24 or later, and this is 20.11.0\n'],
    ]);
  });

  it('ends without a stack, and with its own exit code, when its reader has seen enough', () => {
    const script = `'${process.execPath}' ${PROGRAM} operator help | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['0\n', '']);
  });

  it('says in one line that its output cannot be written, with exit code 1', () => {
    // A file that is open for reading only fails on every system, as a full disk does.
    const script = `'${process.execPath}' ${PROGRAM} operator help 1< package.json`;
    const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, 'cloakroom: standard output cannot be written (EBADF)\n']);
  });
});

describe('completion', () => {
  const program = new Command('shop')
    .option('--version', 'print the version')
    .addCommand(new Command('sell').option('--price <N>', "the seller's price"))
    .addCommand(
      new Command('stock')
        .option('--local', 'here')
        .addCommand(new Command('count').option('--json', 'as JSON'))
        .addCommand(new Command('clear')),
    );

  it.each([
    [['s'], ['sell', 'stock']],
    [
      ['sell', '--'],
      ['--price', '--help'],
    ],
    [
      ['stock', 'c'],
      ['count', 'clear'],
    ],
    [
      ['stock', '--local', 'count', '--'],
      ['--json', '--help', '--local'],
    ],
    [
      ['stock', 'count', 'sell', '--'],
      ['--json', '--help', '--local'],
    ],
  ])('offers in bash what can follow %j', (words, expected) => {
    const at = `COMP_WORDS=(cloakroom ${words.join(' ')}); COMP_CWORD=${String(words.length)}`;
    const script = `${completionScript('bash', program)}\n${at}; _cloakroom; echo "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect([stdout.trim().split(' '), stderr]).toEqual([expected, '']);
  });

  it.each(['bash', 'zsh', 'fish'])('has every command and option for %s', async (shell) => {
    const { exitCode, out } = await commandLine(['completion', shell]);
    expect(exitCode).toBe(0);
    for (const { name } of COMMANDS) expect(out).toMatch(new RegExp(String.raw`\b${name}\b`));
    expect(out).toMatch(/create-tenant.*secrets-to/s);
    expect(out).not.toMatch(/undefined/);
  });

  it('names the shells for another one', async () => {
    const { exitCode, err } = await commandLine(['completion', 'csh']);
    expect([exitCode, err]).toEqual([2, expect.stringContaining('Allowed choices are bash, zsh, fish.')]);
  });
});
