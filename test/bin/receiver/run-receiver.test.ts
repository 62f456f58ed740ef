import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { follow } from '../../../bin/receiver/run-receiver.ts';
import { commandLine } from '../../support/command-line.ts';

describe('cloakroom receiver', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-run-receiver-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('ends with one line and exit code 1 if its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    try {
      expect(await commandLine(['receiver', '--port', port])).toEqual({
        exitCode: 1,
        out: '',
        err: expect.stringMatching(new RegExp(`^cloakroom: port ${port} is in use.*\n$`)),
      });
    } finally {
      other.close();
    }
  });

  it('ends a receiver that begins while a signal comes, and listens to signals no longer than it runs', async () => {
    const file = join(folder, 'running.json');
    writeFileSync(file, '{ "webhook_secret": "whsec_x" }');
    let child: ChildProcess | undefined;
    const before = process.listeners('SIGTERM');
    const own = () => process.listeners('SIGTERM').filter((listener) => !before.includes(listener));
    const start = async () => {
      for (const listener of own()) listener('SIGTERM');
      child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)']);
      await once(child, 'spawn');
      return child;
    };
    expect(await follow(file, start, () => undefined)).toBe(0);
    expect([child?.signalCode, own()]).toEqual(['SIGTERM', []]);
  });

  it.each([
    ['no file', undefined],
    ['a file without a secret', '{}'],
  ])(
    'says which file it waits for where there is %s, and starts with the secret in it',
    async (name, before) => {
      const file = join(folder, `${name}.json`);
      if (before !== undefined) writeFileSync(file, before);
      const printed: string[] = [];
      const secrets: string[] = [];
      const start = (secret: string) => {
        secrets.push(secret);
        return Promise.resolve(spawn('true'));
      };
      const exitCode = await follow(file, start, (text) => {
        printed.push(text);
        writeFileSync(file, '{ "webhook_secret": "whsec_x" }');
      });
      expect([exitCode, secrets, printed]).toEqual([
        0,
        ['whsec_x'],
        [`Waiting for ${file}, the credentials file of cloakroom start\n`],
      ]);
    },
  );
});
