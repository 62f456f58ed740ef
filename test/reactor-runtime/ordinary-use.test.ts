import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUTHOR_PACKAGES } from '../../src/core/reactors/author-packages.ts';
import type { ReactorProcess } from '../support/runtime-api.ts';
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';
import { IMAGES, NODE_VERSIONS, type Image } from '../../src/core/reactors/layer.ts';
import { reactorsOn } from './a-reactor.ts';

/**
 * The same source runs on all images: the thorough run repeats this file on each, the ordinary one
 * has node24.test.ts.
 */
const RUN_ON: readonly Image[] = IS_THOROUGH ? IMAGES : ['node16'];

describe.each(RUN_ON)('%s', (image) => {
  const { answerAlone, sharedReactor, withReactor } = reactorsOn(image);
  const { answerOf: responseOf } = sharedReactor();

  const value = (returned: unknown) => ({ outcome: 'returned', value: returned });

  describe('the promises to an author', () => {
    it('the code runs on the Node of the image', async () => {
      expect(await responseOf('module.exports = async () => process.version')).toEqual(
        value(`v${NODE_VERSIONS[image]}`),
      );
    });

    it('the request is args, configuration and no client where the reactor has no application', async () => {
      const request = { args: { n: 1 }, configuration: { MODE: 'test' } };
      expect(await answerAlone('module.exports = async (req) => req', {}, { request })).toEqual(
        value({ ...request, bt: null }),
      );
    });

    it('a plain function and one that returns nothing are accepted', async () => {
      expect(await responseOf('module.exports = (req) => req.args.n + 1', { n: 1 })).toEqual(value(2));
      expect(await responseOf('module.exports = () => {}')).toEqual({ outcome: 'returned' });
      expect(await responseOf('module.exports = async () => null')).toEqual(value(null));
    });

    it('timers, promises and streams work across ticks', async () => {
      const code = `module.exports = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      let text = ''; for await (const part of require('stream').Readable.from(['a', 'b'])) text += part;
      return text;
    }`;
      expect(await responseOf(code)).toEqual(value('ab'));
    });

    it('files can be written, read and removed below os.tmpdir()', async () => {
      const code = `const fs = require('fs'); const { join } = require('path');
    module.exports = async () => {
      const root = fs.mkdtempSync(join(require('os').tmpdir(), 'x-'));
      fs.mkdirSync(join(root, 'a/b'), { recursive: true });
      await fs.promises.writeFile(join(root, 'a/b/c'), 'text');
      await new Promise((resolve, reject) => fs.copyFile(join(root, 'a/b/c'), join(root, 'd'), (e) => e ? reject(e) : resolve()));
      const handle = await fs.promises.open(join(root, 'd')); const { size } = await handle.stat(); await handle.close();
      const streamed = await new Promise((resolve) => { let t = ''; fs.createReadStream(join(root, 'd'), 'utf8').on('data', (p) => (t += p)).on('end', () => resolve(t)) });
      const names = []; for await (const entry of await fs.promises.opendir(root)) names.push(entry.name);
      const real = fs.realpathSync(join(root, 'd')).endsWith('/d');
      fs.rmSync(root, { recursive: true });
      return { size, streamed, names: names.sort(), real, there: fs.existsSync(root) };
    }`;
      expect(await responseOf(code)).toEqual(
        value({ size: 4, streamed: 'text', names: ['a', 'd'], real: true, there: false }),
      );
    });

    it.each([
      ['ajv', `new (require('ajv'))().compile({ type: 'object', required: ['a'] })({ a: 1 })`, true],
      ['axios', `typeof require('axios').create({ baseURL: 'https://x.example' }).get`, 'function'],
      ['uuid', `require('uuid').validate(require('uuid').v4())`, true],
      ['csv-parse/sync', `require('csv-parse/sync').parse('a,b')`, [['a', 'b']]],
      [
        'csv-parse',
        `await new Promise((resolve) => require('csv-parse').parse('a,b', (e, r) => resolve(r)))`,
        [['a', 'b']],
      ],
      [
        'jose',
        `(await new (require('jose').SignJWT)({ a: 1 }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32))).split('.').length`,
        3,
      ],
      ['json-stable-stringify', `require('json-stable-stringify')({ b: 1, a: [2] })`, '{"a":[2],"b":1}'],
      [
        'node-fetch',
        `(await new (require('node-fetch').Response)('{"a":1}').json()).a + typeof require('node-fetch')`,
        '1function',
      ],
      [
        'node-forge',
        `(() => { const { md, pki, random } = require('node-forge'); const d = md.sha256.create(); d.update('a'); return [d.digest().toHex().slice(0, 8), random.getBytesSync(4).length, typeof pki.publicKeyFromPem] })()`,
        ['ca978112', 4, 'function'],
      ],
      [
        'crypto-js',
        `(() => { const c = require('crypto-js'); const sealed = c.AES.encrypt('text', 'secret').toString(); return [c.SHA256('a').toString().slice(0, 8), c.HmacSHA256('a', 'k').toString(c.enc.Base64).length, c.AES.decrypt(sealed, 'secret').toString(c.enc.Utf8)] })()`,
        ['ca978112', 44, 'text'],
      ],
      [
        'p-limit',
        `(async () => { const limit = require('p-limit')(2); let [running, most] = [0, 0]; const results = await Promise.all([1, 2, 3, 4, 5].map((n) => limit(async () => { most = Math.max(most, ++running); await new Promise((r) => setTimeout(r, 5)); running--; return n * n }))); return [results, most] })()`,
        [[1, 4, 9, 16, 25], 2],
      ],
      [
        'stripe',
        `(() => { const Stripe = require('stripe'); const stripe = new Stripe('sk_test_1'); const payload = '{"id":"evt_1","object":"event"}'; const header = stripe.webhooks.generateTestHeaderString({ payload, secret: 'whsec_1' }); let refusal; try { stripe.webhooks.constructEvent(payload, header, 'whsec_2') } catch (error) { refusal = error.type } return [stripe.webhooks.constructEvent(payload, header, 'whsec_1').id, refusal] })()`,
        ['evt_1', 'StripeSignatureVerificationError'],
      ],
      [
        'xmlbuilder2',
        `(() => { const { create } = require('xmlbuilder2'); return [create({ a: { '@b': 'c', d: '<' } }).end({ headless: true }), create('<x><y>1</y></x>').end({ format: 'object' })] })()`,
        ['<a b="c"><d>&lt;</d></a>', { x: { y: '1' } }],
      ],
      ['@cloakroom/sdk', `typeof require('@cloakroom/sdk').createClient`, 'function'],
    ])('%s can be required and works', async (_name, expression, expected) => {
      expect(await responseOf(`module.exports = async () => ${expression}`)).toEqual(value(expected));
    });

    it('axios calls a server of the network that it may reach: the service on this machine', async () => {
      const server = createServer((_request, response) => response.end('{"pong":true}'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const base = `http://127.0.0.1:${String((server.address() as { port: number }).port)}`;
      const client = { base_url: base, api_key: 'k', header_prefix: 'SVC' };
      const code = `module.exports = async (req) => (await require('axios').get(req.args.base)).data`;
      expect(await responseOf(code, { base }, { client })).toEqual(value({ pong: true }));
      server.close();
    });

    it('stripe sends a request, without a process that would name the system', async () => {
      const received: { path?: string; authorization?: string; body: string; userAgent: string }[] = [];
      const server = createServer((request, response) => {
        let body = '';
        request.on('data', (part: Buffer) => (body += part.toString()));
        request.on('end', () => {
          const { authorization = '', 'x-stripe-client-user-agent': agent } = request.headers;
          received.push({ path: request.url ?? '', authorization, body, userAgent: String(agent) });
          response.setHeader('content-type', 'application/json').end('{"id":"pi_1","status":"succeeded"}');
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const client = { base_url: `http://127.0.0.1:${String(port)}`, api_key: 'k', header_prefix: 'SVC' };
      const code = `module.exports = async ({ args }) => {
      const stripe = require('stripe')('sk_test_1', { host: '127.0.0.1', port: args.port, protocol: 'http' });
      return (await stripe.paymentIntents.create({ amount: 1299, currency: 'eur' })).status;
    }`;
      expect(await responseOf(code, { port }, { client })).toEqual(value('succeeded'));
      server.close();
      expect(received).toMatchObject([
        { path: '/v1/payment_intents', authorization: 'Bearer sk_test_1', body: 'amount=1299&currency=eur' },
      ]);
      expect(JSON.parse(received[0]?.userAgent ?? '')).toMatchObject({ uname: 'UNKNOWN' });
    });

    it('the documented versions and licences are those of the bundled packages', () => {
      for (const { name, version, licence } of AUTHOR_PACKAGES) {
        const found = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));
        expect({ name, version: found.version, licence: found.license }).toEqual({ name, version, licence });
      }
    });

    it('no other module can be required, and the error lists the available ones', async () => {
      const code = `module.exports = async (req) => { try { require(req.args.name) } catch (error) { return error.code + ' ' + error.message } }`;
      const names = [
        'lodash',
        './other.js',
        '/etc/hosts',
        '__proto__',
        'constructor',
        'node:child_process',
        '_http_agent',
      ];
      for (const name of names) {
        const { value: message } = await responseOf(code, { name });
        expect(message).toContain('MODULE_NOT_FOUND');
        expect(message).toContain('a reactor can require');
      }
    });
  });

  describe('failing code', () => {
    it.each([
      ['syntax', 'module.exports = async ( => 1', {}],
      ['syntax', '}); globalThis.escaped = true; (function () {', {}],
      ['threw', 'throw new RangeError("no")', { error: { class: 'RangeError', line: 1, column: 7 } }],
      [
        'threw',
        'Promise.reject(new Error("no")); module.exports = () => 1',
        { error: { class: 'Error', line: 1, column: 16 } },
      ],
      [
        'threw',
        'Object.defineProperty(module, "exports", { get() { throw 1 } })',
        { error: { class: 'number' } },
      ],
      ['module', 'require("left-pad")', { module: 'left-pad' }],
      ['module', 'require("node:vm")', { module: 'node:vm' }],
      ['module', 'require("./other.js")', {}],
      ['module', '(async () => require("left-pad"))(); module.exports = () => 1', { module: 'left-pad' }],
      [
        'threw',
        'try { require("left-pad") } catch { null.x }',
        { error: { class: 'TypeError', line: 1, column: 42 } },
      ],
      ['no_function', 'module.exports = { handler() {} }', {}],
      ['no_function', '', {}],
      ['exited', 'process.exit(0)', {}],
    ])('does not load (%s): %s', async (reason, code, more) => {
      await withReactor(code, async (reactor) => {
        for (let round = 0; round < 2; round += 1) {
          expect((await reactor.invoke()).response).toEqual({ outcome: 'not_loaded', reason, ...more });
        }
        expect(reactor.started()).toBe(1);
      });
    });

    it('that fills memory while loading gets that error', async () => {
      // Numbers, which no collection of garbage scans, and little memory: loading ends after 4 s,
      // and the memory must be full before that on a busy machine too.
      const code = 'const all = []; for (;;) all.push(new Array(1_000_000).fill(0.5))';
      const reply = { outcome: 'not_loaded', reason: 'memory' };
      await withReactor(code, async (reactor) => expect((await reactor.invoke()).response).toEqual(reply), {
        memoryMb: 128,
      });
    });

    it('failing code with another hash than in the event is not run', async () => {
      await withReactor('module.exports = () => 1', async (reactor) => {
        expect((await reactor.invoke({}, { code_sha256: '0'.repeat(64) })).response).toEqual({
          outcome: 'stale',
        });
        expect((await reactor.invoke()).response).toEqual(value(1));
      });
    });

    it('an invalid event is an error, and the next one is processed', async () => {
      await withReactor('module.exports = () => 1', async (reactor) => {
        expect((await reactor.send('nonsense')).failure.errorType).toBe('Reactor.InvalidEvent');
        expect((await reactor.invoke()).response).toEqual(value(1));
      });
    });

    const threw = (error: object) => ({
      outcome: 'threw',
      error: { class: 'Error', message: '', status: null, errors: null, ...error },
    });
    /** The position differs, because other code compiles the code of `answerOf`. */
    const placeless = ({ error: { line: _line, column: _column, ...error }, ...reply }: any) => ({
      ...reply,
      error,
    });

    it.each([
      ['an error', 'new TypeError("bad")', { class: 'TypeError', message: 'bad' }],
      ['text', '"bad"', { class: 'string', message: 'bad' }],
      ['nothing', 'undefined', { class: 'undefined' }],
      ['null', 'null', { class: 'null' }],
      ['a symbol', 'Symbol("x")', { class: 'symbol' }],
      [
        'an error of the SDK shape',
        'Object.assign(new Error("m"), { status: 402, errors: { card: ["declined"] } })',
        { message: 'm', status: 402, errors: { card: ['declined'] } },
      ],
      ['an invalid status', '{ status: "402", message: 7, errors: [1], name: {} }', { class: 'Object' }],
      [
        'errors that are no lists',
        '{ status: 400, errors: { a: "b", c: [1, "d"], __proto__: null } }',
        { status: 400, errors: { c: ['d'] }, class: 'Object' },
      ],
      [
        'getters that throw',
        '{ get message() { throw 1 }, get status() { throw 2 }, get name() { throw 3 }, get errors() { throw 4 } }',
        { class: 'Object' },
      ],
      [
        'a proxy that refuses everything',
        'new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, has() { throw 3 } })',
        {},
      ],
      ['a revoked proxy', '(() => { const p = Proxy.revocable({}, {}); p.revoke(); return p.proxy })()', {}],
      [
        'errors that are a revoked proxy',
        '(() => { const p = Proxy.revocable({}, {}); p.revoke(); return { errors: p.proxy } })()',
        { class: 'Object' },
      ],
      [
        'a status without errors, as HTTP clients have it,',
        'Object.assign(new Error("m"), { status: 401 })',
        { message: 'm' },
      ],
      [
        'errors that it inherits',
        'Object.assign(Object.create({ errors: {} }), { status: 401 })',
        { class: 'Object' },
      ],
      [
        'a status with errors that are undefined',
        '{ status: 401, errors: undefined }',
        { status: 401, class: 'Object' },
      ],
      [
        'an error class of the SDK without arguments',
        'new (require("@cloakroom/sdk").RateLimitError)()',
        { status: 429, class: 'RateLimitError' },
      ],
      [
        'an error of the SDK’s client',
        'new (require("@cloakroom/sdk").ApiError)({ status: 400, title: "Bad Request", errors: { id: ["x"] } })',
        { message: '400 Bad Request', class: 'ApiError' },
      ],
      [
        'a connection error of the SDK',
        'new (require("@cloakroom/sdk").ConnectionError)("m")',
        { message: 'm', class: 'ConnectionError' },
      ],
    ])('%s thrown is reduced to its data', async (_what, expression, expected) => {
      for (const head of ['async () =>', '() =>'])
        expect(placeless(await responseOf(`module.exports = ${head} { throw ${expression} }`))).toEqual(
          threw(expected),
        );
    });

    it('the status code of a response that axios threw is not that of the error', async () => {
      const server = createServer((_request, response) => response.writeHead(503).end('{}'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const base = `http://127.0.0.1:${String((server.address() as { port: number }).port)}`;
      const client = { base_url: base, api_key: 'k', header_prefix: 'SVC' };
      const code = `module.exports = async (req) => { await require('axios').get(req.args.base) }`;
      const { error } = await responseOf(code, { base }, { client });
      server.close();
      expect(error).toMatchObject({
        message: 'Request failed with status code 503',
        status: null,
        errors: null,
      });
    });

    it('a forbidden module that is required while the function runs is named, with the position', async () => {
      const code = `module.exports = async ({ args }) => {
  if (args.isCaught) try { require('first') } catch {}
  setImmediate(() => { if (args.isLater) require(args.name) });
  if (!args.isLater) require(args.name); else await new Promise(() => {});
};`;
      const refused = await withReactor(code, async (reactor) => {
        const modules = [];
        for (const args of [
          { name: 'lodash' },
          { name: 'lodash', isCaught: true, isLater: true },
          { name: './other.js' },
          { name: 'x'.repeat(1e6) },
        ]) {
          const { error } = (await reactor.invoke(args)).response;
          modules.push([error.module, error.line, error.status]);
        }
        return modules;
      });
      expect(refused).toEqual([
        ['lodash', 4, null],
        ['lodash', 3, null],
        [null, 4, null],
        [null, 4, null],
      ]);
    });

    it('a forbidden module is not named if it is required only in code that catches the error', async () => {
      const code = `module.exports = () => { try { require('lodash') } catch {} throw undefined }`;
      expect(await responseOf(code)).toEqual(threw({ class: 'undefined' }));
    });

    it('an error is bounded in length', async () => {
      const code = `module.exports = async () => { throw Object.assign(new Error('m'.repeat(1e6)), { status: 400, name: 'n'.repeat(1e6), errors: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => ['f' + i, Array(1000).fill('x'.repeat(1e4))])) }) }`;
      const reply = await responseOf(code);
      expect(reply.error.message).toHaveLength(2_000);
      expect(Object.keys(reply.error.errors)).toHaveLength(50);
      expect(reply.error.errors.f0).toHaveLength(10);
    });

    it.each([
      ['an unhandled rejection', 'Promise.reject(new Error("late")); await new Promise(() => {})'],
      ['an uncaught exception', 'setTimeout(() => { throw new Error("late") }); await new Promise(() => {})'],
    ])('%s while the function runs is an error it threw', async (_what, body) => {
      expect(placeless(await responseOf(`module.exports = async () => { ${body} }`))).toEqual(
        threw({ message: 'late' }),
      );
    });

    it('gets class and position of the thrown error, anywhere in its code', async () => {
      const code = `module.exports = (req) => thrown[req.args.at](); class Declined extends Error {}
const fail = (value) => { throw value };
const thrown = [
  () => { throw new TypeError('line 4') },
  async () => { throw new Declined('line 5') },
  async () => { await null; await new Promise((resolve) => setTimeout(resolve, 1)); return null.number },
  () => Promise.reject(new RangeError('line 7')),
  () => { setTimeout(() => { throw new Error('line 8') }); return new Promise(() => {}) },
  () => { const schema = { type: 'nothing' }; new (require('ajv'))().compile(schema) },
  () => fail('text'),
  async () => { await require('fs').promises.readFile(require('os').tmpdir() + '/none') },
  () => new Promise((resolve, reject) => require('fs').readFile(require('os').tmpdir() + '/none', reject)),
  () => fail(Object.assign(new Error('quotes ' + new Error().stack), { name: 'Other' })),
  () => { Error.prepareStackTrace = () => '4242'; throw new Error('no stack') },
  () => { Error.prepareStackTrace = () => __filename + ':4242424242:1'; throw new Error('a forged stack') },
  () => fail({ constructor: { name: 'card 4242' }, stack: __filename + ':7' }),
  () => fail({ get constructor() { throw 1 }, get stack() { throw 2 } }),
];`;
      const places = await withReactor(code, async (reactor) => {
        const responses = [];
        for (let at = 0; at < 14; at += 1) {
          const { response: reply } = await reactor.invoke({ at });
          const { class: name, line, column } = reply.error;
          responses.push([name, line, column].filter((part) => part !== undefined).join(' '));
        }
        return responses;
      });
      expect(places).toEqual([
        'TypeError 4 17',
        'Declined 5 23',
        'TypeError 6 97',
        'RangeError 7 24',
        'Error 8 36',
        'Error 9 70',
        'string',
        // Node.js 24 also names the place of a rejection by its own modules.
        image === 'node16' ? 'Error' : 'Error 11 17',
        'Error',
        'Error 13 28',
        'Error',
        'Error',
        'Error',
        'Error',
      ]);
    });

    it('prints the console and the thrown errors to its standard error', async () => {
      const code = `console.log('loaded', { deep: [1] });
module.exports = async ({ args }) => {
  console.error('an error'); console.table([{ a: 1 }]); process.stdout.write('no line end, '); process.stderr.write(Buffer.from('bytes\\n'));
  if (args.nothing) throw { message: 'an object', inner: { deeper: {} } };
  if (args.text) throw 'a text';
  if (args.fetch) return fetch('https://127.0.0.1');
  throw Object.assign(new TypeError('the message'), { cause: new RangeError('the cause') });
};`;
      const printed = await withReactor(code, async (reactor) => {
        await reactor.invoke();
        await reactor.invoke({ nothing: true });
        await reactor.invoke({ fetch: true });
        await reactor.invoke({ text: true });
        // The pipe of the output may be read later than the response.
        while (!reactor.printed().includes('a text\n')) await sleep(5);
        return reactor.printed();
      });
      for (const text of ['loaded { deep: [ 1 ] }\n', 'an error\n', '│ a │', 'no line end, bytes\n'])
        expect(printed).toContain(text);
      expect(printed).toMatch(/TypeError: the message\n {4}at module\.exports \(.*\/reactor\.js:7:23\)\n/);
      if (image === 'node16')
        expect(printed).toMatch(
          /ReferenceError: fetch is not defined\n( {4}at .*\n)+Node\.js 16 has no fetch: require node-fetch or axios instead\.\n/,
        );
      expect(printed).toMatch(/\nCaused by: RangeError: the cause\n {4}at module\.exports \(/);
      expect(printed).toContain('Object: an object\n');
    });

    it.each([
      [
        'whose members show themselves',
        '{ [require("util").inspect.custom]: () => process.exit(7), cause: { [require("util").inspect.custom]: () => process.exit(7) } }',
      ],
      ['whose cause is a getter', 'Object.defineProperty({}, "cause", { get: () => process.exit(7) })'],
      [
        'whose cause is a proxy',
        '{ cause: new Proxy({}, { getOwnPropertyDescriptor: () => process.exit(7) }) }',
      ],
    ])('printing an object %s does not change the response', async (_what, expression) => {
      const code = `module.exports = () => { throw ${expression} }`;
      expect(placeless(await answerAlone(code))).toEqual(threw({ class: 'Object' }));
    });

    it.each([
      ['Uint8Array.prototype', 'Object.defineProperty(Uint8Array.prototype, "length", { get: () => 1e9 })'],
      [
        'Buffer',
        'Buffer.from = () => new Uint8Array(new SharedArrayBuffer(1)); Buffer.prototype.utf8Write = () => 9',
      ],
      ['a closed descriptor', 'require("fs").closeSync(2)'],
      ['streams', 'process.stdout._write = null; require("stream").Writable.prototype.write = () => true'],
      ['an error', 'req.args.error = new Proxy(new Error("x"), { get() { throw 1 } })'],
    ])('printing through replaced built-ins (%s) ends at most its own invocation', async (_what, change) => {
      const code = `module.exports = (req) => { try { ${change}; console.log('x'); process.stderr.write('y') } catch {} throw req.args.error || new Error('z') }`;
      await withReactor(code, async (reactor) => {
        for (let round = 0; round < 2; round += 1)
          expect((await reactor.invoke()).response.outcome).toBe('threw');
        expect(reactor.started()).toBe(1);
      });
    });

    it('that never ends loading ends at the deadline', async () => {
      const code = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';
      const run = (reactor: ReactorProcess) => reactor.invoke();
      const { response } = await withReactor(code, run, { loadMs: 100 });
      expect(response).toEqual({ outcome: 'not_loaded', reason: 'timed_out' });
    });
  });
});
