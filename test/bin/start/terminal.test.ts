// The output of `npm start`: its page of facts and commands, and the line of progress before it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { writeCredentials } from '../../../bin/start/credentials-file.ts';
import { firstCalls, managementKeyFrom } from '../../../bin/start/first-calls.ts';
import { greeting } from '../../../bin/start/greeting.ts';
import { createProgress } from '../../../bin/start/progress.ts';

const greeted = {
  baseUrl: 'http://localhost:8787',
  consoleUrl: 'http://localhost:8788/',
  fieldsUrl: 'http://localhost:8789',
  docsUrl: 'http://localhost:8790',
  startUrl: 'http://localhost:8791/',
  codeFragment: '#code=AAAAAAAAAAAAAAAAAAAAAA',
  keyHeader: 'SVC-API-KEY',
  managementKey: 'key_management_x',
  tenantId: 'the-tenant',
  awsEndpointUrl: 'http://127.0.0.1:4566',
  credentialsFile: '/work/.local/credentials.json',
  logDirectory: '/work/.local/logs',
  reactorOutputFile: '/work/.local/logs/reactor-output.log',
  dataDirectory: undefined,
  sampleKey: undefined,
};

/** A terminal, or another program that reads. */
function aStream(isTTY: boolean) {
  const stream = new PassThrough();
  const written: string[] = [];
  stream.on('data', (chunk: Buffer) => written.push(chunk.toString('utf8')));
  return { stream: Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream, written };
}

/**
 * Runs a separate process, because Node decides about colour by the environment that it started
 * with.
 */
function greetingOn(isTTY: boolean, env: Readonly<Record<string, string>> = {}): string {
  const program = `
    import { greeting } from './bin/start/greeting.ts';
    const stream = Object.assign(Object.create(process.stdout), { isTTY: ${String(isTTY)} });
    stream.getColorDepth = (await import('node:tty')).WriteStream.prototype.getColorDepth;
    process.stdout.write(greeting(${JSON.stringify(greeted)}, stream));`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    // Nothing from the environment of the tests: a CI has no colour.
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color', ...env },
  });
}

describe('the greeting', () => {
  it('shows everything that a new user needs, and ends with how to stop it', () => {
    const text = greeting(greeted, aStream(false).stream);
    for (const value of Object.values(greeted)) expect(text).toContain(value ?? '--data DIR');
    expect(text.trimEnd()).toMatch(/Ready\. Ctrl-C stops everything\.$/);
  });

  it('has colour only on a terminal, and none where NO_COLOR is set', () => {
    const colored = greetingOn(true);
    const plain = greetingOn(false);
    expect(colored).not.toBe(plain);
    expect(stripVTControlCharacters(colored)).toBe(plain);
    expect(greetingOn(true, { NO_COLOR: '1' })).toBe(plain);
  });
});

describe('the first calls', () => {
  it('can be pasted: no comment, no history character, one line each', () => {
    for (const call of firstCalls(greeted)) expect(call).not.toMatch(/[#!\n]/);
  });

  it('read the management key from a credentials file with any path', () => {
    const folder = mkdtempSync(join(tmpdir(), "it's a folder "));
    const file = join(folder, 'credentials.json');
    writeCredentials(file, { tenant_id: 't', management_key: 'key_management_y', webhook_secret: 'w' });
    const shell = (text: string) => execFileSync('sh', ['-c', text], { encoding: 'utf8' });
    expect(shell(`printf %s "${managementKeyFrom(file)}"`)).toBe('key_management_y');
    rmSync(folder, { recursive: true });
  });
});

describe('the line of progress', () => {
  it('prints each step once for a program that reads it', () => {
    const { stream, written } = aStream(false);
    const progress = createProgress(stream);
    progress.step('synthesizing the app');
    progress.end();
    expect(written).toEqual(['synthesizing the app ...\n']);
  });

  it('is rewritten with the seconds on a terminal, and leaves nothing there', () => {
    jest.useFakeTimers();
    const { stream, written } = aStream(true);
    const progress = createProgress(stream);
    progress.step('synthesizing the app');
    jest.advanceTimersByTime(2_000);
    progress.end();
    jest.useRealTimers();
    const clear = '\r\u001b[2K';
    expect(written[0]).toBe(`${clear}synthesizing the app ... 0 s`);
    expect(written.at(-2)).toBe(`${clear}synthesizing the app ... 2 s`);
    expect(written.at(-1)).toBe(clear);
  });
});
