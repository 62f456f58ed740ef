import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReactorOutput } from '../../../bin/start/reactor-output.ts';

const FUNCTION = 'Cloakroom-reactor-0190b5b2000070008000000000000000';
const ID = '0190b5b2-0000-7000-8000-000000000000';

describe('the output of reactors of the local account', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-output-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('goes to the terminal and to a file of mode 0600, each line with its time and reactor', () => {
    const printed: string[] = [];
    const output = createReactorOutput(join(folder, 'logs'), (text) => printed.push(text));
    output.line(FUNCTION, 'one\t1');
    output.line(FUNCTION, '\u001b[2Jt\u202ew\u2066o\r\u009b\u2028');
    output.close();
    const file = output.file ?? '';
    expect(file).toBe(join(folder, 'logs/reactor-output.log'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.map((line) => line.replace(/^\S+Z /, ''))).toEqual([`${ID} one\t1`, `${ID} [2Jtwo`, '']);
    expect(printed.map((line) => line.replace(/^\S+Z /, ''))).toEqual([
      `reactor ${ID} one\t1\n`,
      `reactor ${ID} [2Jtwo\n`,
    ]);
  });

  it('has no file where logs are printed, and creates none before the first output', () => {
    const silent = createReactorOutput(join(folder, 'none'), () => undefined);
    silent.close();
    expect(() => statSync(join(folder, 'none'))).toThrow();
    expect(createReactorOutput(undefined, () => undefined).file).toBeUndefined();
  });
});
