// Checks docs/contract.md#the-runtime-of-a-reactor.
import { randomUUID } from 'node:crypto';
import { AUTHOR_PACKAGES } from '../../src/core/reactors/author-packages.ts';
import { aPackageBundle } from '../support/builders/a-package-bundle.ts';
import { anApplication, describeNeeding, management, type Body } from '../support/service.ts';

const CODE = 'module.exports = () => ({ raw: 1 });';
const OTHER = 'module.exports = () => ({ raw: 2 });';

async function aReactor(more: object = {}): Promise<Body> {
  const reactor = { name: `Reactor ${randomUUID()}`, code: CODE, configuration: {}, ...more };
  const { status, body } = await management.post('/reactors', reactor);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body;
}

const at = ({ id }: Body) => `/reactors/${id as string}`;

describe('the runtime of a reactor', () => {
  it('is in every answer, and is accepted as it was read, changed by time or not', async () => {
    const made = await aReactor();
    expect(made.runtime).toEqual({
      image: 'node16',
      warm_concurrency: expect.any(Number),
      node_version: '16.20.2',
      status: 'deprecated',
      outdated: false,
    });
    expect((await management.get(at(made))).body).toEqual(made);
    expect((await management.get(`/reactors?id=${made.id as string}`)).body.data).toEqual([made]);
    const { body: same } = await management.put(at(made), made);
    expect(same.runtime).toEqual(made.runtime);
    const later = { ...made.runtime, node_version: '16.0.0', status: 'closed', outdated: true };
    const { modified_at: _, ...sent } = same;
    const again = await management.put(at(made), { ...sent, runtime: later });
    expect([again.status, again.body.runtime]).toEqual([200, made.runtime]);
    expect((await management.patch(at(made), { runtime: later })).status).toBe(204);
  });

  it('stays with a PUT and a PATCH that do not name it, and goes back by null', async () => {
    const made = await aReactor({ runtime: { image: 'node24', warm_concurrency: 0 } });
    const image = async () => (await management.get(at(made))).body.runtime.image as unknown;
    expect(made.runtime).toMatchObject({ image: 'node24', status: 'current', closes_at: expect.any(String) });
    await management.put(at(made), { name: 'x', code: OTHER, configuration: {} });
    await management.put(at(made), { name: 'x', code: OTHER, configuration: {}, runtime: {} });
    expect((await management.patch(at(made), { name: 'y' })).status).toBe(204);
    expect(await image()).toBe('node24');
    const { body } = await management.put(at(made), { ...made, code: OTHER, runtime: null });
    expect([body.errors, body.runtime?.image]).toEqual([undefined, 'node16']);
    expect((await management.patch(at(made), { runtime: { image: 'node24' } })).status).toBe(204);
    expect(await image()).toBe('node24');
  });

  it.each([
    [{ image: 'node26' }, 'runtime.image'],
    [{ image: 'node22' }, 'runtime.image'],
    [{ warm_concurrency: 1_000 }, 'runtime.warm_concurrency'],
    [{ timeout: 10 }, 'runtime.timeout'],
    [{ imag: 'node24' }, 'runtime.imag'],
  ])('is refused when it is %j, in every write', async (runtime, path) => {
    const made = await aReactor();
    const reactor = { name: 'x', code: CODE, configuration: {}, runtime };
    const answers = [
      await management.post('/reactors', reactor),
      await management.put(at(made), reactor),
      await management.patch(at(made), { runtime }),
    ];
    for (const { status, body } of answers) expect([status, Object.keys(body.errors)]).toEqual([400, [path]]);
  });

  it('decides the syntax that its code may have', async () => {
    const code = `module.exports = () => { using file = null; return { raw: 1 }; };`;
    const refused = await management.post('/reactors', { name: 'x', code, configuration: {} });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['code']]);
    const made = await aReactor({ code, runtime: { image: 'node24' } });
    const back = await management.patch(at(made), { runtime: { image: 'node16' } });
    expect([back.status, Object.keys(back.body.errors)]).toEqual([400, ['code']]);
  });
});

describe('the list of reactors', () => {
  it('filters by image and by whether they are outdated, and refuses other values', async () => {
    const old = await aReactor();
    const young = await aReactor({ runtime: { image: 'node24' } });
    const idsOf = async (query: string) => {
      const ids = `id=${old.id as string}&id=${young.id as string}`;
      const { body } = await management.get(`/reactors?${ids}&${query}`);
      return body.data.map(({ id }: Body) => id);
    };
    expect(await idsOf('runtime=node16')).toEqual([old.id]);
    expect(await idsOf('runtime=node24')).toEqual([young.id]);
    expect(await idsOf('outdated=false')).toEqual([old.id, young.id]);
    expect(await idsOf('outdated=true')).toEqual([]);
    for (const wrong of ['runtime=node26', 'outdated=maybe', 'runtime=', 'outdated=']) {
      const { status, body } = await management.get(`/reactors?${wrong}`);
      expect([status, Object.keys(body.errors)]).toEqual([400, [wrong.split('=')[0]]]);
    }
  });
});

describe('the list of runtimes', () => {
  it('has every image with its packages, for a reader of reactors', async () => {
    const { status, body } = await management.get('/runtimes');
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        image: 'node16',
        node_version: '16.20.2',
        status: 'deprecated',
        default: true,
        packages: AUTHOR_PACKAGES.map(({ name, version, licence }) => ({ name, version, licence })),
      },
      expect.objectContaining({ image: 'node24', status: 'current', default: false }),
    ]);
    const other = await anApplication({ type: 'management', permissions: ['reactor:create'] });
    expect((await other.get('/runtimes')).status).toBe(403);
  });
});

describe('a change of the code of a reactor', () => {
  const HEADER = 'svc-stopped-proxies';

  it('names the stored proxies that it stops to a caller who may list them', async () => {
    const reactor = await aReactor();
    const transforms = [{ type: 'reactor', reactor_id: reactor.id }];
    const aProxy = async (more: object) =>
      (await management.post('/proxies', { destination_url: 'https://psp.example', ...more })).body;
    const pinning = await aProxy({ name: 'Partner', response_transforms: transforms });
    await aProxy({ name: 'Without code' });
    const put = { name: 'x', configuration: {} };
    const same = await management.put(at(reactor), { ...put, code: CODE });
    expect([same.body._extras, same.headers.get(HEADER)]).toEqual([undefined, null]);
    const writer = await anApplication({
      type: 'management',
      permissions: ['reactor:read', 'reactor:update'],
    });
    const blind = await writer.put(at(reactor), { ...put, code: OTHER });
    expect([blind.status, blind.body._extras, blind.headers.get(HEADER)]).toEqual([200, undefined, null]);
    // The proxy fails already: it pins neither code.
    const other = await management.put(at(reactor), { ...put, code: `${OTHER}\n` });
    expect(other.body._extras).toBeUndefined();
    await management.put(at(reactor), { ...put, code: CODE });
    const moved = await management.patch(at(reactor), { runtime: { image: 'node24' } });
    expect([moved.status, moved.headers.get(HEADER)]).toEqual([204, pinning.id]);
    await management.patch(at(reactor), { runtime: { image: 'node16' } });
    const { body, headers } = await management.put(at(reactor), { ...put, code: OTHER });
    expect(body._extras).toEqual({ stopped_proxies: [{ id: pinning.id, name: 'Partner' }] });
    expect(headers.get(HEADER)).toBe(pinning.id);
    await management.patch(`/proxies/${pinning.id as string}`, { response_transforms: transforms });
    const { body: third } = await management.put(at(reactor), { ...put, code: CODE });
    expect(third._extras).toEqual({ stopped_proxies: [{ id: pinning.id, name: 'Partner' }] });
  });
});

describeNeeding('allowsPackages', 'the packages of a reactor', () => {
  const USES = "module.exports = () => ({ raw: require('greeting').hello(require('@scope/name')) });";

  it('run with its code, are returned as declared, and can be sent back and taken away', async () => {
    const { base64, dependencies, digest } = await aPackageBundle({
      greeting: "exports.hello = (name) => 'hello ' + name;",
      '@scope/name': "module.exports = 'world';",
    });
    const made = await aReactor({ code: USES, runtime: { dependencies, bundle: base64 } });
    expect(made.runtime).toMatchObject({ dependencies, bundle_digest: digest });
    expect(JSON.stringify(made)).not.toContain(base64);
    const caller = await anApplication({ permissions: ['token:use'] });
    const react = () => caller.post(`${at(made)}/react`, { args: {} });
    expect((await react()).body).toMatchObject({ raw: 'hello world' });
    const { body: same } = await management.put(at(made), made);
    expect(same.runtime).toEqual(made.runtime);
    const bill = await management.get(`${at(made)}/sbom`);
    expect(bill).toMatchObject({
      status: 200,
      body: {
        bomFormat: 'CycloneDX',
        components: [{ name: 'greeting' }, { name: '@scope/name', purl: 'pkg:npm/%40scope/name@1.0.0' }],
      },
    });
    expect((await management.patch(at(made), { runtime: { dependencies: {} } })).status).toBe(204);
    expect(await react()).toMatchObject({
      status: 500,
      body: { detail: expect.stringContaining("requires 'greeting'") },
    });
  });

  it('are named by the answer when one does not load', async () => {
    const { base64, dependencies } = await aPackageBundle({ broken: "throw new TypeError('4242')" });
    const code = "const broken = require('broken'); module.exports = () => ({ raw: broken });";
    const made = await aReactor({ code, runtime: { dependencies, bundle: base64 } });
    const caller = await anApplication({ permissions: ['token:use'] });
    const { status, body } = await caller.post(`${at(made)}/react`, { args: {} });
    expect([status, body.detail]).toEqual([
      422,
      expect.stringMatching(
        /^The code threw a TypeError at line 1, column 16, in the package broken at line 2, column \d+ of its bundle while it loaded\.$/,
      ),
    ]);
  });
});
