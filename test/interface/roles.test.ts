import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  aRevealingApplication,
  CARD,
  client,
  management,
  type HttpClient,
  withTenants,
} from '../support/service.ts';

/** The roles of docs/access.md, each created from the page, do what its table says. */

const PAGE = readFileSync(new URL('../../docs/access.md', import.meta.url), 'utf8');
const ECHO = 'module.exports = async ({ args }) => ({ raw: args });';
const ACCOUNT = { routing_number: '021000021', account_number: '000123456789' };
const MASKED = { number: 'XXXXXXXXXXXX4242' };

const sectionOf = (title: string) =>
  PAGE.split(/^(?=#{2,3} )/mu).find((section) => section.startsWith(`${title}\n`)) ?? '';
const blocksOf = (section: string) =>
  [...section.matchAll(/^```json\n(.*?)^```/gmsu)].map(([, json = '']) => json);
const table = sectionOf('### What each of them may do')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const [[, ...columns] = [], , ...rows] = table;
const cells = rows.flatMap(([role = '', ...of]) =>
  of.map((cell, index) => [role, columns[index] ?? '', cell]),
);

interface World {
  readonly payout: string;
  readonly other: string;
  readonly card: string;
  readonly account: string;
  readonly lastFour: string;
  readonly owner: HttpClient;
  readonly roles: ReadonlyMap<string, HttpClient & { readonly id: string }>;
}

let world: World;
const aReactor = async () =>
  (await management.post('/reactors', { name: 'x', code: ECHO, configuration: {} })).body.id as string;

beforeAll(async () => {
  const payout = await aReactor();
  const other = await aReactor();
  const owner = await aRevealingApplication();
  const card = { type: 'card', data: CARD, search_indexes: ['{{ data.number | last4 }}'] };
  const account = { type: 'bank', data: ACCOUNT, containers: ['/bank/'] };
  const idOf = async (token: object) => (await owner.post('/tokens', token)).body.id as string;
  const roles = new Map<string, HttpClient & { readonly id: string }>();
  for (const [role = ''] of rows) {
    const [json = ''] = blocksOf(sectionOf(`### ${role}`));
    const { body } = await management.post('/applications', JSON.parse(json.replaceAll('PAYOUT', payout)));
    roles.set(role, { ...client(body.key), id: body.id });
  }
  world = {
    payout,
    other,
    owner,
    roles,
    card: await idOf(card),
    account: await idOf(account),
    lastFour: CARD.number.slice(-4),
  };
});

/** Describes what a response shows, in the words of the table. */
function shown(data: unknown, masked: object, whole: object): string {
  if (data === undefined) return 'redacted';
  if (isDeepStrictEqual(data, whole)) return 'whole';
  return isDeepStrictEqual(data, { ...whole, ...masked }) ? 'masked' : JSON.stringify(data);
}

type Role = HttpClient;
type Response = Awaited<ReturnType<HttpClient['get']>>;

const refusedOr = ({ status, body }: Response, word: (body: any) => string): string => {
  if (status === 403) return 'no';
  return status < 300 ? word(body) : String(status);
};
const useIn = (role: Role, reactor: string) =>
  role.post(`/reactors/${reactor}/react`, { args: { card: `{{ ${world.card} }}` } });

/** Each column asks this of a role, by the request, and by the question that explains it. */
const asked: Record<
  string,
  { readonly act: (role: Role) => Promise<string>; readonly questions: () => object[] }
> = {
  'Reads a card': {
    act: async (role) =>
      refusedOr(await role.get(`/tokens/${world.card}`), ({ data }) => shown(data, MASKED, CARD)),
    questions: () => [{ permission: 'token:read', container: '/pci/high/' }],
  },
  'Reads a bank account': {
    act: async (role) =>
      refusedOr(await role.get(`/tokens/${world.account}`), ({ data }) =>
        shown(data, { account_number: 'XXXXXXXX6789' }, ACCOUNT),
      ),
    questions: () => [{ permission: 'token:read', container: '/bank/' }],
  },
  'Finds a card by its last four digits': {
    act: async (role) => {
      const query = `data:"${world.lastFour}" AND id:${world.card}`;
      return refusedOr(await role.post('/tokens/search', { query }), ({ data }) =>
        shown(data[0].data, MASKED, CARD),
      );
    },
    questions: () => [{ permission: 'token:search', container: '/pci/high/' }],
  },
  'Creates a card': {
    act: async (role) =>
      refusedOr(await role.post('/tokens', { type: 'card', data: CARD }), ({ data }) =>
        shown(data, MASKED, CARD),
      ),
    questions: () => [{ permission: 'token:create', container: '/pci/high/' }],
  },
  'Deletes a card': {
    act: async (role) => {
      const { id } = (await world.owner.post('/tokens', { type: 'card', data: CARD })).body;
      return refusedOr(await role.delete(`/tokens/${id as string}`), () => 'yes');
    },
    questions: () => [{ permission: 'token:delete', container: '/pci/high/' }],
  },
  'Uses a card in `PAYOUT`': {
    act: async (role) =>
      refusedOr(await useIn(role, world.payout), ({ raw }) =>
        raw.card.number === CARD.number ? 'yes' : 'another card',
      ),
    questions: () => [
      { permission: 'token:use', container: '/pci/high/', through: { reactors: [world.payout] } },
    ],
  },
  'Uses a card in another reactor, or in the proxy': {
    act: async (role) => {
      const headers = { 'SVC-PROXY-URL': 'https://nowhere.invalid/' };
      const proxied = await role.send('POST', '/proxy', { raw: `{{ ${world.card} }}`, headers });
      const words = [await useIn(role, world.other), proxied].map((response) =>
        refusedOr(response, () => 'yes'),
      );
      return [...new Set(words)].join();
    },
    questions: () => [
      { permission: 'token:use', container: '/pci/high/', through: { reactors: [world.other] } },
      { permission: 'token:use', container: '/pci/high/' },
    ],
  },
};

/** The transform that a cell means; `undefined` for a permission without a view. */
const TRANSFORM_OF: Record<string, string | null | undefined> = {
  no: null,
  redacted: 'redact',
  masked: 'mask',
  whole: 'reveal',
};

it('are five, and each has an answer for all columns that the test knows', () => {
  expect([rows.length, [...columns].sort()]).toEqual([5, Object.keys(asked).sort()]);
});

it.each(cells)('%s: %s - %s', async (name, column, cell) => {
  const role = world.roles.get(name);
  const { act, questions } = asked[column] ?? { act: () => Promise.resolve('?'), questions: () => [] };
  expect(await act(role as HttpClient)).toBe(cell);
  for (const question of questions()) {
    const { body } = await management.post('/access/explain', { application_id: role?.id, ...question });
    expect(body.allowed).toBe(cell !== 'no');
    if (cell in TRANSFORM_OF) expect(body.transform).toBe(TRANSFORM_OF[cell]);
  }
});

it('lets the partner create, read and delete in its own container, masked', async () => {
  const partner = world.roles.get('Partner') as HttpClient;
  const containers = ['/partners/acme/'];
  const created = await partner.post('/tokens', { type: 'card', data: CARD, containers });
  expect([created.status, created.body.data]).toEqual([201, { ...CARD, ...MASKED }]);
  const path = `/tokens/${created.body.id as string}`;
  expect((await partner.get(path)).body.data).toEqual({ ...CARD, ...MASKED });
  expect((await partner.delete(path)).status).toBe(204);
});

it('explains a rule as the page shows it', async () => {
  const [question = '', answer = ''] = blocksOf(sectionOf('## Check a rule'));
  const { status, body } = await management.post(
    '/access/explain',
    JSON.parse(question.replaceAll('PAYOUT', randomUUID())),
  );
  expect([status, body]).toEqual([200, JSON.parse(answer)]);
});

withTenants('turns the ephemeral proxy off as the page shows it', async (createTenant) => {
  const [, body = ''] = /^ {2}`(\{ "name": .*\})`/mu.exec(PAGE) ?? [];
  const changed = await client((await createTenant('Shop')).management_key).put(
    '/tenants/self',
    JSON.parse(body),
  );
  expect([changed.status, changed.body.settings.ephemeral_proxy]).toEqual([200, false]);
});
