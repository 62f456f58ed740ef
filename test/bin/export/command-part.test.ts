// Each test runs a command of the shell.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandParts } from '../../../bin/export/parts/command-part.ts';

const SECRET = 'data of a token';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloakroom-parts-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const environment = () => ({ PATH: process.env['PATH'], FOLDER: folder });

async function pass(command: string, text: string, n = 1): Promise<void> {
  const part = commandParts(command, environment())(n);
  await part.write(Buffer.from(text));
  await part.end();
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('a command', () => {
  it('reads the part, whose number it gets with four digits', async () => {
    await pass('cat > "$FOLDER/part-{n}-{n}"', SECRET, 7);
    await pass('cat > "$FOLDER/part-{n}"', 'x'.repeat(1_000_000), 12_345);
    expect(read('part-0007-0007')).toBe(SECRET);
    expect(read('part-12345')).toHaveLength(1_000_000);
  });

  it('has an environment without the key', async () => {
    process.env['CLOAKROOM_API_KEY'] = 'key_private_1';
    try {
      await pass('cat > /dev/null; env > "$FOLDER/env"', SECRET);
      expect(read('env')).not.toContain('key_private_1');
    } finally {
      delete process.env['CLOAKROOM_API_KEY'];
    }
  });

  it.each([
    ['cat > /dev/null; exit 3', 'ended with exit code 3'],
    ['exit 3', 'ended with exit code 3'],
    ['true', 'ended before it had read the whole part'],
    ['head -c 4 > /dev/null', 'ended before it had read the whole part'],
    ['exec < /dev/null', 'ended before it had read the whole part'],
    ["echo '", 'ended with exit code 2'],
    ['no-such-command 2> /dev/null', 'ended with exit code 127'],
  ])('fails its part, small or large: %s', async (command, problem) => {
    const quiet = command.startsWith('echo') ? `eval "${command}" 2> /dev/null` : command;
    for (const text of [SECRET, 'x'.repeat(2_000_000)])
      await expect(pass(quiet, text)).rejects.toThrow(`part 0001: the command ${problem}`);
  });

  it('that is aborted sees no end of its part, nor does the rest of its pipe', async () => {
    const command = '(cat; echo end) | (cat > "$FOLDER/out"; echo whole > "$FOLDER/whole")';
    const part = commandParts(command, environment())(1);
    await part.write(Buffer.from('x'.repeat(1_000_000)));
    await part.abort();
    expect(existsSync(join(folder, 'whole'))).toBe(false);
    await expect(part.end()).rejects.toThrow('the command was ended by SIGTERM');
  });

  it('that has ended can be aborted', async () => {
    const part = commandParts('exit 3', environment())(1);
    await expect(part.end()).rejects.toThrow('exit code 3');
    await part.abort();
  });
});
