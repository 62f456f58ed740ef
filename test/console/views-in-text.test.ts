import { createVault, type Vault } from '../../packages/testing/src/index.ts';
import { aLocked, aPackageBundle } from '../support/builders/a-package-bundle.ts';
import { openConsole, type TextConsole } from '../support/console-in-text.ts';

/** UUIDs, and the ends of them that a list shows. */
const ID = /[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[\da-f]{4}-[\da-f]{12}|[\da-f]{8}…[\da-f]{4}/g;
const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035 };

let vault: Vault;
let pages: TextConsole;
let ids: Readonly<Record<'shop' | 'card' | 'reactor' | 'proxy', string>>;
beforeAll(async () => {
  vault = await createVault({ now: '2030-01-01T00:00:00Z' });
  const permissions = ['token:create', 'token:read', 'token:search', 'token:update', 'token:delete'] as const;
  const rules = [{ priority: 1, container: '/', permissions: [...permissions], transform: 'mask' as const }];
  const { id: shop, key } = await vault.applications.create({ name: 'Shop', type: 'private', rules });
  await vault.applications.create({ name: 'Page', type: 'public', permissions: ['token:create'] });
  const client = vault.client({ apiKey: key });
  await client.tokens.create({ type: 'token', data: 'x' });
  const { id: card } = await client.tokens.create({
    type: 'card',
    data: CARD,
    containers: ['/a/', '/b/', '/c/'],
    metadata: { a: '1', b: '2', c: '3' },
  });
  const code = 'module.exports = () => ({ raw: 1 });';
  const { id: reactor } = await vault.reactors.create({ name: 'Charge', code, configuration: { A: 'x' } });
  const { id: proxy } = await vault.proxies.create({ name: 'Bank', destination_url: 'https://bank.example' });
  ids = { shop, card, reactor, proxy };
  const now = vault.clock.now().getTime();
  const service = { url: vault.baseUrl, fetch: vault.fetch, now };
  pages = await openConsole(service, [vault.managementKey, key]);
});
/** Returns the lines of a view, after a certain one. */
async function open(hash: string, after?: string): Promise<readonly string[]> {
  const lines = (await pages.open(hash)).map((line) => line.replaceAll(ID, 'ID'));
  return after === undefined ? lines : lines.slice(lines.indexOf(after) + 1);
}

describe('a list', () => {
  it('the list of applications has what each may do, and when it ends', async () => {
    expect(await open('#/applications', 'Ends')).toEqual([
      ...['Page', 'public', '1 permission', 'just now', 'never'],
      ...['Shop', 'private', '1 rule', 'just now', 'never'],
      ...['First management application', 'management', '17 permissions', 'just now', 'never'],
      '3 applications',
    ]);
  });

  it('the list of tokens shows masks, two containers, two entries, and how many there are besides', async () => {
    expect(await open('#/tokens', 'Created')).toEqual([
      ...['ID', 'Copy', 'card', 'XXXXXXXXXXXX424212/35', '/a//b/+1', 'a: 1b: 2+1', 'just now'],
      ...['ID', 'Copy', 'token', 'no data', '/general/high/', 'just now'],
      '2 tokens',
    ]);
  });

  it('the list of reactors has the application and the image of each', async () => {
    expect(await open('#/reactors', 'Changed')).toEqual([
      'Charge',
      'no application',
      'node16, deprecated',
      'just now',
      '1 reactor',
    ]);
  });

  it('the list of proxies has the destination of each', async () => {
    const row = ['Bank', 'https://bank.example', 'just now'];
    expect(await open('#/proxies', 'Changed')).toEqual([...row, '1 proxy']);
  });

  it('a list shows why it failed, and loads again', async () => {
    vault.fail({ operation: 'listProxies', times: 1, status: 500 });
    await open('#/tenant');
    const failed = await open('#/proxies', 'Name');
    expect(failed).toEqual([expect.stringMatching(/^Internal Server Error/), 'Try again']);
    await open('#/tenant');
    expect((await open('#/proxies')).at(-1)).toBe('1 proxy');
  });
});

describe('a view', () => {
  it('an application has its rules and what they grant in each container', async () => {
    const lines = await open(`#/applications/${ids.shop}`);
    expect(lines.slice(0, 10)).toEqual([
      ...['← Applications', 'Shop', 'Delete', 'Id', 'ID', 'Copy', 'Type', 'private', 'Created'],
      '1 Jan 2030, 00:00:00 UTC',
    ]);
    const at = lines.indexOf('Description');
    expect(lines.slice(at + 1, at + 5)).toEqual([
      ...['1', '/', 'mask', 'token:create, token:read, token:search, token:update, token:delete'],
    ]);
    const tree = lines.indexOf('deletes');
    expect(lines.slice(tree + 1, tree + 8)).toEqual([
      '/',
      'mask: explain token:read in /',
      'mask: explain token:search in /',
      'nothing: explain token:use in /',
      'mask: explain token:create in /',
      'mask: explain token:update in /',
      'yes: explain token:delete in /',
    ]);
  });

  it('the view of access has the transform of each container', async () => {
    expect((await open('#/access', 'Applications named')).slice(0, 6)).toEqual([
      ...['Container', 'Shop', '/', 'mask', 'bank/', 'mask'],
    ]);
  });

  it('a token has its masked data, containers and metadata', async () => {
    expect(await open(`#/tokens/${ids.card}`)).toEqual([
      ...['← Tokens', 'ID', 'Edit', 'Delete', 'Masked data'],
      '{ "number": "XXXXXXXXXXXX4242", "expiration_month": 12, "expiration_year": 2035 }',
      'The audit trail will record that your key read the data of this token, and when.',
      ...['Reveal for 30 seconds', 'Id', 'ID', 'Copy', 'Type', 'card', 'Containers', '/a/', '/b/', '/c/'],
      ...['Metadata', 'a: 1', 'b: 2', 'c: 3', 'Fingerprint', expect.any(String)],
      ...['Created', '1 Jan 2030, 00:00:00 UTC', 'Expires', 'never', 'Trail', 'Who used it'],
    ]);
  });

  it('a reactor offers each application, a test run and its deliveries', async () => {
    const lines = await open(`#/reactors/${ids.reactor}`);
    expect(lines).toEqual(expect.arrayContaining(['Charge', 'Save', 'Test run', 'Run']));
    const facts = lines.indexOf('Runs on');
    expect(lines.slice(facts + 1, facts + 4)).toEqual([
      'node16, deprecated (Node.js 16.20.2)',
      'Instances in advance',
      '0',
    ]);
    expect(lines).toContain('node24: Node.js 24.22.3');
    expect(lines.filter((line) => line.includes('(…'))).toEqual([
      expect.stringMatching(/^Page /),
      expect.stringMatching(/^Shop /),
      expect.stringMatching(/^First management application /),
    ]);
    expect(lines.at(-1)).toBe('None. A result that its receiver refuses ten times waits here.');
  });

  it('a proxy has its keys and versions', async () => {
    const lines = await open(`#/proxies/${ids.proxy}`);
    const keys = lines.lastIndexOf('Add a key');
    expect(lines.slice(keys + 1, keys + 12)).toEqual([
      ...['Key', 'Last used (UTC)', 'Ends', 'Networks', 'Actions'],
      ...[expect.stringMatching(/^…/), 'never', 'never', 'all', 'Edit', 'Delete'],
    ]);
    expect(lines.slice(-2)).toEqual(['1 Jan 2030, 00:00:00 UTC', 'in use']);
  });

  it('the tenant has its settings', async () => {
    expect((await open('#/tenant')).slice(0, 5)).toEqual(['Tenant', 'Id', 'ID', 'Copy', 'Name']);
  });

  it.each([
    ['#/applications/+', 'Create application'],
    ['#/tokens/+', 'Create token'],
    ['#/reactors/+', 'Create reactor'],
    ['#/proxies/+', 'Create proxy'],
  ])('the form %s ends with its button', async (hash, button) => {
    expect((await open(hash)).at(-1)).toBe(button);
  });

  it('the trail has a record of each change, the newest first', async () => {
    const lines = await open('#/trail', 'Clear');
    expect(lines.slice(0, 3)).toEqual([
      'Reveals an hour 0 in all',
      'None in this time.',
      'Refusals an hour 0 in all',
    ]);
    const first = lines.indexOf('1 Jan 2030, 00:00:00 UTC');
    expect(lines.slice(first + 1, first + 7)).toEqual([
      ...['createProxy', 'begun', 'by First management application', 'of', 'proxy', 'ID'],
    ]);
    const changes = ['createProxy', 'createReactor', 'createToken', 'createApplication'];
    expect([...new Set(lines.filter((line) => changes.includes(line)))]).toEqual(changes);
  });

  it('an unknown address says so', async () => {
    expect((await open('#/nothing'))[0]).toBe('There is no such page');
  });
});

describe('the packages of a reactor', () => {
  it('are put in by a file, shown with their versions, refused beside the field, and taken away', async () => {
    const code = 'module.exports = () => ({ raw: 1 });';
    const { id } = await vault.reactors.create({ name: 'Packed', code, configuration: {} });
    const lock = {
      lockfileVersion: 3 as const,
      packages: {
        'node_modules/lodash': { ...aLocked('lodash', '1.0.0'), license: '<b>MIT</b>' },
        'node_modules/lodash/node_modules/@s/deep': aLocked('@s/deep', '2.0.0'),
      },
    };
    const { base64, dependencies, digest } = await aPackageBundle({ lodash: 'exports.a = 1;' }, { lock });
    const fileOf = (value: object) => new File([JSON.stringify(value)], 'charge.json');
    const inForm = (lines: readonly string[]) => lines.slice(lines.lastIndexOf('Packages of its own') + 2);

    expect(inForm(await pages.open(`#/reactors/${id}`))[0]).toMatch(/^None: code can require/);
    const refused = await pages.choose(fileOf({ dependencies }));
    expect(refused).toContain('The file is no bundle: the command cloakroom reactor bundle makes one.');
    const chosen = await pages.choose(fileOf({ dependencies: { lodash: '2.0.0' }, bundle: base64 }));
    expect(inForm(chosen).slice(0, 3)).toEqual([
      'When you save, these of charge.json:',
      'lodash 2.0.0',
      'Bundle',
    ]);
    expect(await pages.press('Save')).toContain(
      'runtime.dependencies differs from the bundle, which has lodash 1.0.0',
    );
    expect((await pages.choose(fileOf({ dependencies, bundle: base64 }))).join()).not.toContain('differs');

    const saved = await pages.press('Save');
    const facts = saved.indexOf('Packages of its own');
    expect(saved.slice(facts + 1, facts + 5)).toEqual([
      'lodash 1.0.0',
      'Digest of its bundle',
      `${digest.slice(0, 12)}…`,
      'Copy',
    ]);
    expect(inForm(saved).slice(0, 2)).toEqual(['1 package, listed above.', 'Replace them by a bundle']);
    const bill = await pages.press('Show all packages');
    expect(bill.slice(bill.indexOf('Licence') + 1).slice(0, 7)).toEqual([
      ...['@s/deep', '2.0.0', 'MIT', 'lodash', '1.0.0', '<b>MIT</b>', '2 packages'],
    ]);

    expect(inForm(await pages.press('Take them away'))[0]).toMatch(/^They are taken away when you save/);
    const taken = await pages.press('Save');
    expect(inForm(taken)[0]).toMatch(/^None: code can require/);
    expect(taken).not.toContain('Bill of materials');
    expect((await vault.reactors.retrieve(id)).runtime.dependencies).toBeUndefined();
  });

  it('are listed fifty at a time', () => {
    const packages = Array.from({ length: 500 }, (_, at) => ({
      name: `p${String(at)}`,
      version: '1.0.0',
      licence: '',
    }));
    const lines = pages.part('PackageTable', { packages });
    expect(lines.filter((line) => line === 'not named')).toHaveLength(50);
    expect(lines.slice(-2)).toEqual(['50 of 500 packages', 'Show more']);
  });
});

describe('a problem', () => {
  const problem = { title: 'Bad Request', detail: '', fields: [], traceId: undefined };

  it.each([
    [{ problem: undefined }, []],
    [{ problem }, ['Bad Request']],
    [{ problem: { ...problem, detail: 'No.' } }, ['Bad Request: No.']],
    [{ problem: { ...problem, fields: [['a', 'is wrong']] } }, ['Bad Request', 'a is wrong']],
    [
      {
        problem: {
          ...problem,
          traceId: 't-1',
          fields: [
            ['a', 'is wrong'],
            ['b', 'is missing'],
          ],
        },
        onRetry: () => undefined,
      },
      ['Bad Request', 'a is wrong', 'b is missing', 'In the logs: t-1', 'Try again'],
    ],
  ])('shows all that the service said: %j', (properties, lines) => {
    expect(pages.part('ProblemBox', properties)).toEqual(lines);
  });
});
