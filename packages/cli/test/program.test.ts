import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { commandLine } from '../../../test/support/command-line.ts';
import { COMMANDS } from '../src/commands.ts';
import { completionScript, SHELLS } from '../src/completion.ts';

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
    .addCommand(
      new Command('sell')
        .option('--price <N>', "the seller's price")
        .addOption(new Option('--fee <NAME>', 'the fee').choices(['fee:one', 'fee:two'])),
    )
    .addCommand(
      new Command('stock')
        .option('--at <PLACE>', 'where')
        .option('--local [FILE]', 'here')
        .addCommand(new Command('count').option('--json', 'as JSON'))
        .addCommand(new Command('clear')),
    )
    .addCommand(new Command('load').argument('[FILE]').option('--all', 'all of it'))
    .addCommand(new Command('open').addArgument(new Argument('<WHEN>').choices(['now', 'never'])));

  const FILES = ['a-file'];
  /** Each command line up to the cursor, with the words that can be there. */
  const OFFERED: Readonly<Record<string, readonly string[]>> = {
    s: ['sell', 'stock'],
    he: ['help'],
    'help s': ['sell', 'stock'],
    'stock help c': ['clear', 'count'],
    'sell --': ['--fee', '--help', '--price'],
    'sell --price ': FILES,
    'sell --price a': FILES,
    'sell --fee ': ['fee:one', 'fee:two'],
    'stock c': ['clear', 'count'],
    'stock --local count --': ['--at', '--help', '--local'],
    'stock --local --at here count --': ['--at', '--help', '--json', '--local'],
    'stock count sell --': ['--at', '--help', '--json', '--local'],
    'stock count --local ': FILES,
    'load ': FILES,
    'load --': ['--all', '--help'],
    'open n': ['never', 'now'],
  };

  /** Statements of a shell that print what it offers for a command line, one in a line. */
  const PRINTING: Readonly<Record<string, (line: string) => string>> = {
    // It completes the names of files by itself.
    bash: (
      line,
    ) => `COMP_WORDS=(cloakroom ${line.replace(/ $/, " ''")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _cloakroom; [[ \${#COMPREPLY[@]} != 0 ]] || COMPREPLY=(*); printf '%s\\n' "\${COMPREPLY[@]}"`,
    // Only its line editor has a completion, of which these are the parts that the script calls.
    zsh: (line) => `compadd() { print -l -- \${(M)@[2,-1]:#$PREFIX*} | grep . }; _files() { print -l -- * }
      words=(cloakroom ${line.replace(/ $/, " ''")}); CURRENT=$#words; PREFIX=$words[-1]; _cloakroom`,
    fish: (line) => `complete -C 'cloakroom ${line}' | string replace -r '\\t.*' ''`,
  };

  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-completion-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  function printed(shell: string, script: string) {
    mkdirSync(join(folder, 'here'), { recursive: true });
    writeFileSync(join(folder, 'here', 'a-file'), '');
    const { stdout, stderr } = spawnSync(shell, ['-c', script], {
      cwd: join(folder, 'here'),
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, ZDOTDIR: folder },
      encoding: 'utf8',
    });
    return { stdout, stderr };
  }

  it.each(SHELLS.filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0))(
    'offers in %s the commands, options, choices and files that can follow',
    (shell) => {
      const lines = Object.keys(OFFERED);
      const printing = lines.map((line) => PRINTING[shell]?.(line)).join('\necho --- --\n');
      const { stdout, stderr } = printed(shell, `${completionScript(shell, program)}\n${printing}`);
      const offered = stdout.split('--- --\n').map((block) => block.trim().split('\n').sort());
      expect(stderr).toBe('');
      expect(Object.fromEntries(lines.map((line, at) => [line, offered[at]]))).toEqual(OFFERED);
    },
  );

  it.each([
    ['sell --fee fee :', ['one', 'two']],
    ['sell --fee fee : t', ['two']],
    ['sell --fee = fee : t', ['two']],
    ['sell --fee =', ['fee:one', 'fee:two']],
  ])('completes in bash the last part of a value that it takes apart: %s', (words, expected) => {
    const { stdout } = printed(
      'bash',
      `${completionScript('bash', program)}\n${PRINTING['bash']?.(words) ?? ''}`,
    );
    expect(stdout.trim().split('\n')).toEqual(expected);
  });

  it.each(['bash', 'zsh', 'fish'])('has every command and option for %s', async (shell) => {
    const { exitCode, out } = await commandLine(['completion', shell]);
    expect(exitCode).toBe(0);
    for (const { name } of COMMANDS) expect(out).toMatch(new RegExp(String.raw`\b${name}\b`));
    expect(out).toMatch(/create-tenant.*secrets-to/s);
    expect(out).not.toMatch(/undefined/);
  });

  it('has no word that a shell would take for something else', () => {
    const odd = new Command('shop').addCommand(new Command('$(reboot)'));
    expect(() => completionScript('bash', odd)).toThrow('the completion cannot offer $(reboot)');
  });

  it('names the shells for another one', async () => {
    const { exitCode, err } = await commandLine(['completion', 'csh']);
    expect([exitCode, err]).toEqual([2, expect.stringContaining('Allowed choices are bash, zsh, fish.')]);
  });
});
