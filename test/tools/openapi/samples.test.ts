// Runs every code sample of the reference, and compares the request that it sends.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { createClient } from '../../../packages/sdk/src/index.ts';
import { needing } from '../../support/needing.ts';

interface Sample {
  readonly lang: string;
  readonly source: string;
}

interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly Sample[];
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly example?: string }[];
}

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly key: string;
  readonly body: unknown;
}

const BASE = 'https://vault.example.com';
const KEY = 'the-key';

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const values = new Map(operation.parameters.map(({ name, example = '' }) => [name, example] as const));
    const [curl = '', node = '', python = ''] = operation['x-codeSamples'].map(({ source }) => source);
    const [, body] = /-d '([^]*)'$/.exec(curl) ?? [];
    const expected: Sent = {
      method: method.toUpperCase(),
      url: BASE + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? ''),
      key: KEY,
      body: body === undefined ? undefined : JSON.parse(body.replaceAll(String.raw`'\''`, "'")),
    };
    const destination = values.get('SVC-PROXY-URL') ?? '';
    return { name: operation.operationId, node, python, expected, destination };
  }),
);

/** The function that an async program is, without its first lines, which import. */
async function runNode(source: string): Promise<Sent> {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const text = await request.text();
    sent.push({
      method: request.method,
      url: request.url,
      key: request.headers.get('svc-api-key') ?? '',
      body: text === '' ? undefined : JSON.parse(text),
    });
    return Response.json({}, { headers: { 'SVC-PROXY-DESTINATION-STATUS': '200' } });
  };
  const program = source.replace("import { createClient } from '@cloakroom/sdk';\n", '');
  const create = (options: Parameters<typeof createClient>[0]) => createClient({ ...options, fetch });
  const body = `return (async () => { ${program} })()`;
  const run = compileFunction(body, ['createClient', 'process', 'console']) as (
    ...args: readonly unknown[]
  ) => Promise<void>;
  await run(create, { env: { URL: BASE, KEY } }, { log: () => undefined });
  expect(sent).toHaveLength(1);
  return sent[0] as Sent;
}

/** Replaces the package, and prints each request as a line. */
const REQUESTS = `
import json
class Response:
    ok = True
    def raise_for_status(self): pass
    def json(self): return {}
def _send(method):
    def send(url, headers, json=None, allow_redirects=True):
        assert allow_redirects == ("/proxy" not in url)
        print("sent " + __import__("json").dumps([method, url, headers["SVC-API-KEY"], json]))
        return Response()
    return send
get, post, put, patch, delete = map(_send, ["GET", "POST", "PUT", "PATCH", "DELETE"])
`;

describe('the samples of the reference', () => {
  it('exist in three languages for each of the operations', () => {
    expect(operations).toHaveLength(63);
    for (const { node, python } of operations) {
      expect(node).toContain("from '@cloakroom/sdk'");
      expect(python).toContain('import requests');
    }
  });

  it.each(operations)('$name from Node.js sends the request of the operation', async ({ node, expected }) => {
    expect(await runNode(node)).toEqual(expected);
  });

  it('all post to one address of the proxy, which has each part of its path once', () => {
    const proxied = operations.filter(({ name }) => name.startsWith('proxy'));
    for (const { expected, destination } of proxied)
      expect(destination + expected.url.slice(`${BASE}/proxy`.length)).toBe(
        'https://api.processor.example.com/v1/charges',
      );
    expect(proxied).toHaveLength(10);
  });

  needing('Python').it('from Python send the requests of the operations', () => {
    const folder = mkdtempSync(join(tmpdir(), 'samples-'));
    writeFileSync(join(folder, 'requests.py'), REQUESTS);
    const run = `import json, sys\nfor source in json.load(open(sys.argv[1])):\n    exec(source, {})\n`;
    writeFileSync(join(folder, 'run.py'), run);
    writeFileSync(join(folder, 'samples.json'), JSON.stringify(operations.map(({ python }) => python)));
    const printed = execFileSync('python3', ['run.py', 'samples.json'], {
      cwd: folder,
      env: { ...process.env, URL: BASE, KEY },
      encoding: 'utf8',
    });
    const sent = printed
      .split('\n')
      .filter((line) => line.startsWith('sent '))
      .map((line) => JSON.parse(line.slice('sent '.length)) as [string, string, string, unknown])
      .map(([method, url, key, body]) => ({ method, url, key, body: body ?? undefined }));
    expect(sent).toEqual(operations.map(({ expected }) => expected));
  });
});
