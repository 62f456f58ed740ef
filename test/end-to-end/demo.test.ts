import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { temporaryFolder } from '../support/run-service.ts';
import { needing } from '../support/needing.ts';
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';

const { describe } = needing('openssl');

/** Runs `npm run demo` with its own folder for temporary files, which the test inspects. */
function runDemo(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const child = spawn(process.execPath, ['tools/demo/start.ts', ...args], {
    stdio: 'pipe',
    env: { ...process.env, TMPDIR: folder, FORCE_COLOR: undefined, ...env },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
      if (printed.trimEnd().endsWith(awaited)) react();
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let awaited = 'Enter for the next chapter';
  let react: () => void = () => child.stdin.write('\n');
  return {
    ended,
    output: () => printed,
    leftBehind: () => readdirSync(folder),
    interruptAt: (text: string, delayMs: number) => {
      awaited = text;
      react = () => void setTimeout(() => child.kill('SIGINT'), delayMs);
    },
  };
}

const addressIn = (output: string) => /http:\/\/localhost:\d+/.exec(output)?.[0] ?? '';

describe('the demo', () => {
  inThoroughRun.it(
    'walks through the whole service chapter by chapter, and leaves nothing behind',
    async () => {
      const demo = runDemo(['--pause']);
      expect([await demo.ended, demo.output()]).toEqual([
        0,
        expect.stringContaining('Every result was as expected'),
      ]);
      const output = demo.output();
      expect([...output.matchAll(/^(\d+\. .*)$/gm)].map(([, title]) => title)).toEqual([
        '1. Applications and rules',
        '2. A card',
        '3. Masks',
        '4. Search',
        '5. The proxy',
        '6. A reactor',
        '7. Where plaintext may go',
        '8. Stored proxies',
        '9. An asynchronous reactor, and a webhook',
        '10. The cvc is deleted',
        '11. The audit trail',
      ]);
      expect(output.match(/✓/g)?.length).toBeGreaterThanOrEqual(20);
      expect(output).toMatch(/POST \/tokens {2}key of Checkout: key_public_\w{4}…/);
      // Keys are shortened, the webhook secret is not printed, and a pipe gets no colours.
      expect(output.match(/key_\w+_\w{5,}|whsec_\S{5,}/g)).toBeNull();
      // oxlint-disable-next-line no-control-regex
      expect(output).not.toMatch(/\u001b\[\d/);
      await expect(fetch(addressIn(output))).rejects.toThrow('fetch failed');
      expect(demo.leftBehind()).toEqual([]);
    },
  );

  async function expectEndAt(text: string, delayMs: number): Promise<void> {
    const demo = runDemo(['--pause']);
    demo.interruptAt(text, delayMs);
    expect(await demo.ended).toBe(130);
    expect(demo.output()).not.toContain('2. A card');
    const address = addressIn(demo.output());
    if (address !== '') await expect(fetch(address)).rejects.toThrow('fetch failed');
    expect(demo.leftBehind()).toEqual([]);
  }

  it('stops everything at Ctrl-C while it starts', () => expectEndAt('payment provider ...', 500));

  inThoroughRun.it('stops everything at Ctrl-C between chapters', () =>
    expectEndAt('Enter for the next chapter', 0),
  );

  it('reports a missing argument', async () => {
    const demo = runDemo([], { PATH: '/nowhere' });
    expect([await demo.ended, demo.output()]).toEqual([1, expect.stringContaining('openssl')]);
    expect(demo.leftBehind()).toEqual([]);
  });

  it('prints its options', async () => {
    const demo = runDemo(['--help']);
    expect([await demo.ended, demo.output()]).toEqual([0, expect.stringContaining('--pause')]);
  });
});
