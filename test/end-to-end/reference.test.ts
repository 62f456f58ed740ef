import { readFileSync } from 'node:fs';
import { allRoutes } from '../../tools/openapi/all-routes.ts';
import { OPERATIONS } from '../../tools/openapi/operations.ts';
import {
  anApplication,
  aRevealingApplication,
  client,
  credentials,
  management,
  operator,
  type HttpClient,
} from '../support/service.ts';

const committed = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: object };

describe('the reference', () => {
  it('serves the committed document, without a build of the site', async () => {
    const served = await fetch(`${credentials.base_url}/docs/openapi.json`);
    expect(await served.json()).toEqual(committed);
  });

  it('is not on the origin of the API, which redirects to it and shadows no path of its own', async () => {
    const { key } = await aRevealingApplication();
    const at = async (path: string) => {
      const url = credentials.base_url + path;
      const response = await fetch(url, { redirect: 'manual', headers: { 'SVC-API-KEY': key } });
      return [response.status, response.headers.get('location')];
    };
    const { docs_url: docs } = credentials;
    expect(await at('/docs')).toEqual([302, `${docs}/`]);
    expect(await at('/docs/errors/forbidden')).toEqual([302, `${docs}/errors/forbidden`]);
    for (const path of ['/docsx', '/docs/..%2f', '/docs//evil.example', '/docs/.git', '/', '/nothing'])
      expect([path, ...(await at(path))]).toEqual([path, 404, null]);
  });

  it('answers any client about the page of an error', async () => {
    const { status, headers } = await fetch(`${credentials.base_url}/docs/errors/forbidden`);
    // The first request builds the site.
    expect([200, 503]).toContain(status);
    expect(headers.has('retry-after')).toBe(status === 503);
  });
});

/** The examples contain these ids and this nonce. */
const EXAMPLE_ID = '0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8';
const EXAMPLE_APPLICATION = '3c4a8c51-6f0e-4a5b-8e0c-9b0f6f0a7d21';
const EXAMPLE_NONCE = 'n0nce...';

const examples = allRoutes().flatMap(({ operation, method, path }) =>
  Object.entries(OPERATIONS[operation]?.requests ?? {})
    // This one would deliver its result to a foreign host.
    .filter(([name]) => !(operation === 'invokeReactor' && name === 'later'))
    .map(([name, { value }]) => [operation, name, method, path, value] as const),
);
const exampleOf = (wanted: string) => examples.find(([operation]) => operation === wanted)?.[4];

describe('the examples of the document', () => {
  /** Each key is the path of the resource whose id the examples use. */
  const made: Record<string, string> = {};
  let nonce = '';
  /** The manager of a tenant that no other test uses, whose settings the examples change. */
  let manager: HttpClient;
  let own: HttpClient;

  beforeAll(async () => {
    own = await aRevealingApplication();
    const page = await anApplication({ type: 'public', permissions: ['token:create'] });
    made['tokens'] = (await own.post('/tokens', exampleOf('createToken'))).body.id;
    made['applications'] = (await management.post('/applications', exampleOf('createApplication'))).body.id;
    made['key_id'] = (await management.post(`/applications/${made['applications'] ?? ''}/keys`)).body.id;
    made['reactors'] = (await management.post('/reactors', exampleOf('createReactor'))).body.id;
    made['proxies'] = (await management.post('/proxies', exampleOf('createProxy'))).body.id;
    made['proxy_key_id'] = (await management.post(`/proxies/${made['proxies'] ?? ''}/keys`)).body.id;
    nonce = (await page.post('/sessions')).body.nonce;
    manager = client((await operator({ command: 'create-tenant', name: 'Shop' }))['management_key']);
  });

  it.each(examples)(
    '%s %s is accepted by the running service',
    async (operation, _name, method, path, value) => {
      const kind = path.split('/')[1] ?? '';
      const text = JSON.stringify(value)
        .replaceAll(EXAMPLE_ID, made['tokens'] ?? '')
        .replaceAll(EXAMPLE_APPLICATION, made['applications'] ?? '')
        .replaceAll(EXAMPLE_NONCE, nonce);
      const managed = /^(access|applications|proxies|reactors)/.test(kind) && operation !== 'invokeReactor';
      const caller = kind === 'tenants' ? manager : managed ? management : own;
      const { status } = await caller.send(
        method,
        path
          .replace('{id}', made[kind] ?? '')
          .replace('{key_id}', made[kind === 'proxies' ? 'proxy_key_id' : 'key_id'] ?? ''),
        { body: JSON.parse(text) },
      );
      expect([200, 201, 204]).toContain(status);
    },
  );
});
