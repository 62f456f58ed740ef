// Runs the code of the guides to stored proxies, and compares what the guides say that it prints.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDestination, testCertificate, type TestDestination } from '../support/destination.ts';
import { needing } from '../support/needing.ts';
import { runService, temporaryFolder, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';

const { describe } = needing('openssl');

const run = promisify(execFile);

const CARD_NUMBER = '4242424242424242';

let service: RunningService;
/** Terminates TLS in front of the program of a guide. */
let front: TestDestination;
let program: ChildProcess | undefined;

const textOf = (guide: string): string => readFileSync(`docs/guides/${guide}.md`, 'utf8');
const blocksOf = (text: string, language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);

/** Starts the program of a guide behind {@link front}. Returns what it has printed. */
async function startProgram(text: string): Promise<() => string> {
  const file = join(temporaryFolder(), 'program.mjs');
  writeFileSync(file, blocksOf(text, 'js').join('\n'));
  const child = spawn(process.execPath, [file], {
    env: { PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  program = child;
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  while (!/^port \d+$/m.test(printed)) await once(child.stdout, 'data');
  const [, port = ''] = /^port (\d+)$/m.exec(printed) ?? [];
  front.respond = ({ method, url, headers, body }, response) => {
    const { authorization = '' } = headers;
    void fetch(`http://localhost:${port}${url}`, {
      method,
      headers: { authorization },
      body: Buffer.from(body),
    })
      .then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.end(Buffer.from(await answer.arrayBuffer()));
      })
      .catch(() => response.destroy());
  };
  return () => printed;
}

/** Pastes the blocks for a shell into one. Returns what they have printed. */
async function paste(text: string): Promise<string> {
  const pasted = blocksOf(text, 'sh')
    .join('\n')
    .replaceAll('http://localhost:8787', service.credentials.base_url)
    .replaceAll('http://localhost:9777', `https://localhost:${String(front.port)}`)
    .replaceAll('.local/credentials.json', service.credentialsFile);
  return (await run('bash', ['-eu', '-o', 'pipefail', '-c', pasted])).stdout;
}

/** Expects each line that the guide shows, in the order of the guide. */
function expectShown(text: string, stdout: string): void {
  let from = 0;
  for (const line of blocksOf(text, 'text').join('').trimEnd().split('\n')) {
    const at = stdout.indexOf(line, from);
    expect([line, at === -1 ? stdout.slice(from) : 'printed']).toEqual([line, 'printed']);
    from = at + line.length;
  }
}

beforeAll(async () => {
  const certificate = testCertificate();
  front = await startDestination(certificate);
  service = await runService([...TEST_SETTINGS, '--trust', certificate.certFile]);
});

afterEach(() => {
  program?.kill();
  front.received.length = 0;
});

afterAll(async () => {
  await service.stop();
  await front.close();
});

describe('the guide to charge a card', () => {
  it('has blocks that charge at the provider, with its secrets, and nothing else', async () => {
    const text = textOf('charge-a-card');
    await startProgram(text);
    const stdout = await paste(text);
    expectShown(text, stdout);
    expect(stdout).not.toMatch(new RegExp(`${CARD_NUMBER}|sk_test`));
    const [first, second] = ['Bearer sk_test_51MZ4kQ2eZvKYlo2C', 'Bearer sk_test_9fGhT3wLmN0pXrVb7'];
    expect(front.received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/v1/charges', first],
      ['/v1/charges', second],
      ['/v1/charges', second],
      ['/v1/refunds', second],
    ]);
    for (const { body } of front.received)
      expect(JSON.parse(body.toString())).toEqual({ amount: 1299, number: CARD_NUMBER });
  });
});

describe('the guide to receive cards', () => {
  it('has blocks that pass a signed delivery on once, with a token in the place of the card', async () => {
    const text = textOf('receive-cards');
    const printed = await startProgram(text);
    expectShown(text, await paste(text));
    expect(printed()).toMatch(
      /^port \d+\nPOST \/bookings Bearer backend-key-4Tz8rQ1vWm \{ booking: 'B-7', card: '[\da-f-]{36}' \}\n$/,
    );
    const [{ headers, body } = { headers: {}, body: '' }] = front.received;
    expect(JSON.stringify(headers) + body.toString()).not.toMatch(new RegExp(`${CARD_NUMBER}|key_proxy`));
  });

  it('has a repeat that runs again after a failure, with the same token', async () => {
    const [text = ''] = textOf('receive-cards').split('## 5.');
    await startProgram(text);
    const { respond } = front;
    front.respond = (_received, response) => {
      front.respond = respond;
      response.writeHead(503).end();
    };
    expect(await paste(text)).toBe(' 503\n{"accepted":"B-7"} 201\n');
    const bodies = front.received.map(({ body }) => body.toString());
    expect(bodies).toHaveLength(2);
    expect(new Set(bodies).size).toBe(1);
  });
});
