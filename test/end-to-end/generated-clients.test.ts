import { noteUse } from '../budgets.ts';
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/run-service.ts';
import { aRevealingApplication, anApplication, CARD, credentials } from '../support/service.ts';

const run = promisify(execFile);
const ROOT = process.cwd();
const bin = (name: string) => join(ROOT, 'node_modules/.bin', name);

/** Both programs get this as JSON. */
interface Input {
  readonly baseUrl: string;
  readonly managementKey: string;
  readonly privateKey: string;
  readonly publicKey: string;
  readonly reactorCode: string;
}

/** The start of both programs: their types know nothing of Node.js. */
const PREAMBLE = `
declare const process: { readonly env: Readonly<Record<string, string>> };
const input = JSON.parse(process.env['INPUT'] ?? '') as { baseUrl: string; managementKey: string; privateKey: string; publicKey: string; reactorCode: string };
const run = crypto.randomUUID();
const rule = { priority: 1, container: '/', transform: 'reveal', permissions: ['token:read', 'token:use'] } as const;
const rules = [{ ...rule, permissions: [...rule.permissions] }];
async function must<T>(call: Promise<{ data?: T; error?: unknown }>): Promise<NonNullable<T>> {
  const { data, error } = await call;
  if (data === undefined || data === null) throw new Error(JSON.stringify(error));
  return data;
}
`;

const WITH_OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';
${PREAMBLE}
const clientOf = (key: string) => createClient<paths>({ baseUrl: input.baseUrl, headers: { 'SVC-API-KEY': key } });
const [own, management, page] = [clientOf(input.privateKey), clientOf(input.managementKey), clientOf(input.publicKey)];
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
const created = await must(own.POST('/tokens', { body: { type: 'card', data: card, metadata: { run } } }));
await must(own.POST('/tokens', { body: { type: 'token', data: [1], metadata: { run } } }));
const path = { id: created.id };
const got = await must(own.GET('/tokens/{id}', { params: { path } }));
const patched = await must(own.PATCH('/tokens/{id}', {
  params: { path },
  headers: { 'Content-Type': 'application/merge-patch+json' },
  body: { data: { expiration_year: 2031 }, metadata: { tier: 'gold' } },
}));
const first = await must(own.GET('/tokens', { params: { query: { metadata: { run }, size: 1 } } }));
const next = await must(own.GET('/tokens', { params: { query: { metadata: { run }, size: 1, after: first.pagination.after ?? '' } } }));
const byId = await must(own.GET('/tokens', { params: { query: { id: [created.id, 'none'] } } }));
const found = await must(own.POST('/tokens/search', { body: { query: 'metadata.run:"' + run + '"' } }));
const application = await must(management.POST('/applications', { body: { name: 'generated', type: 'private', rules } }));
const reactor = await must(management.POST('/reactors', { body: { name: 'generated', code: input.reactorCode, configuration: {} } }));
const reaction = await must(own.POST('/reactors/{id}/react', { params: { path: { id: reactor.id } }, body: { args: { card: '{{ ' + created.id + ' }}' } } }));
const tenant = await must(management.GET('/tenants/self'));
const renamed = await must(management.PUT('/tenants/self', { body: { name: tenant.name } }));
const session = await must(page.POST('/sessions'));
const authorized = await own.POST('/sessions/authorize', { body: { nonce: session.nonce, rules } });
const seen = await must(clientOf(session.session_key).GET('/tokens/{id}', { params: { path } }));
const { error: refusal } = await own.POST('/tokens', { body: { type: 'card', data: { number: '1' } } });
if (refusal === undefined || !('code' in refusal)) throw new Error('not refused by the service');
const { code, errors } = refusal;

// None of these is called: the compiler refuses them.
export const misspelt = () => [
  // @ts-expect-error
  own.POST('/tokens', { body: { type: 'card', data: card, contaners: ['/pci/'] } }),
  // @ts-expect-error
  own.POST('/tokens', { body: { type: 'card', data: { ...card, exp_month: 12 } } }),
  // @ts-expect-error
  own.POST('/tokens', { body: { type: 'cart', data: card } }),
  // @ts-expect-error
  { masks: 'x' } satisfies components['schemas']['UpdateTokenRequest'], // As a literal body it would compile.
  // @ts-expect-error
  own.GET('/tokens', { params: { query: { limit: 1 } } }),
  // @ts-expect-error
  code === 'validation_faild',
];
`;

const WITH_HEY_API = `
import { createClient } from './hey-api/client/index.js';
import * as api from './hey-api/index.js';
${PREAMBLE}
const clientOf = (auth: string) => ({ client: createClient({ baseUrl: input.baseUrl, auth }) });
const [own, management, page] = [clientOf(input.privateKey), clientOf(input.managementKey), clientOf(input.publicKey)];
const card: api.CardData = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
const created = await must(api.createToken({ ...own, body: { type: 'card', data: card, metadata: { run } } }));
await must(api.createToken({ ...own, body: { type: 'token', data: [1], metadata: { run } } }));
const path = { id: created.id };
const got = await must(api.getToken({ ...own, path }));
const patched = await must(api.updateToken({ ...own, path, body: { data: { expiration_year: 2031 }, metadata: { tier: 'gold' } } }));
const first = await must(api.listTokens({ ...own, query: { metadata: { run }, size: 1 } }));
const next = await must(api.listTokens({ ...own, query: { metadata: { run }, size: 1, after: first.pagination.after ?? '' } }));
const byId = await must(api.listTokens({ ...own, query: { id: [created.id, 'none'] } }));
const found = await must(api.searchTokens({ ...own, body: { query: 'metadata.run:"' + run + '"' } }));
const application = await must(api.createApplication({ ...management, body: { name: 'generated', type: 'private', rules } }));
const reactor = await must(api.createReactor({ ...management, body: { name: 'generated', code: input.reactorCode, configuration: {} } }));
const reaction = await must(api.invokeReactor({ ...own, path: { id: reactor.id }, body: { args: { card: '{{ ' + created.id + ' }}' } } }));
const tenant = await must(api.getTenant(management));
const renamed = await must(api.updateTenant({ ...management, body: { name: tenant.name } }));
const session = await must(api.createSession(page));
const authorized = await api.authorizeSession({ ...own, body: { nonce: session.nonce, rules } });
const seen = await must(api.getToken({ ...clientOf(session.session_key), path }));
const { error: refusal } = await api.createToken({ ...own, body: { type: 'card', data: { number: '1' } } });
if (refusal === undefined || !('code' in refusal)) throw new Error('not refused by the service');
const { code, errors } = refusal;

// None of these is called: the compiler refuses them.
export const misspelt = () => [
  // @ts-expect-error
  api.createToken({ ...own, body: { type: 'card', data: card, contaners: ['/pci/'] } }),
  // @ts-expect-error
  api.createToken({ ...own, body: { type: 'card', data: { ...card, exp_month: 12 } } }),
  // @ts-expect-error
  api.createToken({ ...own, body: { type: 'cart', data: card } }),
  // @ts-expect-error
  api.updateToken({ ...own, path, body: { masks: 'x' } }),
  // @ts-expect-error
  api.listTokens({ ...own, query: { limit: 1 } }),
  // @ts-expect-error
  code === 'validation_faild',
];
`;

/** The end of both programs. */
const REPORT = `
console.log(JSON.stringify({
  data: got.data, patched: [patched.data, patched.metadata?.['tier']], filter: patched.metadata?.['run'] === run,
  pages: [first.data.length, first.pagination.total_items, next.data.length, next.pagination.after],
  byId: byId.data.map(({ id }) => id === created.id), found: found.pagination.total_items,
  application: [application.type, typeof application.key], raw: 'raw' in reaction ? reaction.raw : undefined,
  tenant: renamed.name === tenant.name, authorized: authorized.response?.status, seen: seen.data, code, fields: Object.keys(errors ?? {}),
}));
`;

const EXPECTED = {
  data: CARD,
  patched: [{ ...CARD, expiration_year: 2031 }, 'gold'],
  filter: true,
  pages: [1, 2, 1, null],
  byId: [true],
  found: 2,
  application: ['private', 'string'],
  raw: '4242',
  tenant: true,
  authorized: 200,
  seen: { ...CARD, expiration_year: 2031 },
  code: 'validation_failed',
  fields: ['data.number'],
};

const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  rootDir: 'src',
  outDir: 'dist',
};

/** Creates a project that contains both programs and their generated clients. */
async function aProject(): Promise<string> {
  const folder = temporaryFolder();
  const source = join(folder, 'src');
  mkdirSync(source);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['src'] }),
  );
  writeFileSync(join(source, 'with-openapi-fetch.ts'), `${WITH_OPENAPI_FETCH}${REPORT}`);
  writeFileSync(join(source, 'with-hey-api.ts'), `${WITH_HEY_API}${REPORT}`);
  const document = join(ROOT, 'docs/openapi.json');
  await Promise.all([
    run(bin('openapi-typescript'), [document, '-o', join(source, 'schema.ts')], { cwd: folder }),
    run(bin('openapi-ts'), ['-i', document, '-o', join(source, 'hey-api'), '--no-log-file'], { cwd: folder }),
  ]);
  return folder;
}

describe('clients generated from docs/openapi.json', () => {
  let folder = '';
  let input: Input;

  beforeAll(async () => {
    folder = await aProject();
    const [{ key: privateKey }, { key: publicKey }] = await Promise.all([
      aRevealingApplication(),
      anApplication({ type: 'public', permissions: ['token:create'] }),
    ]);
    const { base_url: baseUrl, management_key: managementKey } = credentials;
    const reactorCode = 'module.exports = async ({ args }) => ({ raw: args.card.number.slice(-4) });';
    input = { baseUrl, managementKey, privateKey, publicKey, reactorCode };
  });

  it('compile in strict mode, and reject misspelt members and codes', async () => {
    noteUse('runs of the TypeScript compiler');
    const compiled = await run(bin('tsc'), ['-p', folder]).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(compiled.stdout).toBe('');
  });

  it.each(['with-openapi-fetch', 'with-hey-api'])('call the service %s', async (program) => {
    const { stdout } = await run(process.execPath, [join(folder, 'dist', `${program}.js`)], {
      env: { ...process.env, INPUT: JSON.stringify(input) },
    });
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
  });
});
