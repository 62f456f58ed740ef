import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withReactor } from './a-reactor.ts';

// The SDK is loaded when the code requires it, or for an event with a client.

/**
 * Counts how often the SDK is loaded: its bundle marks its exports as those of a module, with the
 * global `Object.defineProperty`.
 */
const WATCHED = `const { defineProperty } = Object; let loads = 0;
Object.defineProperty = (target, key, descriptor) => {
  if (key === '__esModule') loads += 1;
  return defineProperty(target, key, descriptor);
};
`;

/** Returns the result of a call of the client, and `more`, which the code before it defines. */
const CALL = `module.exports = async ({ bt }) => {
  const called = bt && (await bt.tokens.retrieve('x'));
  return { called, loads, more };
};`;

/** The event's client, of a service that has one token, and the API keys that it received. */
async function withClient(use: (client: object, keys: readonly unknown[]) => Promise<void>): Promise<void> {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['svc-api-key']);
    response.setHeader('Content-Type', 'application/json').end('{"id":"x"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const baseUrl = `http://127.0.0.1:${String(port)}`;
    await use({ base_url: baseUrl, api_key: 'the_key', header_prefix: 'SVC' }, keys);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const returned = (value: unknown) => ({ outcome: 'returned', value });

describe('the SDK', () => {
  it('is not loaded where the event has no client and the code does not require it', () =>
    withReactor(`${WATCHED} const more = 0; ${CALL}`, async (reactor) => {
      expect((await reactor.invoke()).response).toEqual(returned({ called: null, loads: 0, more: 0 }));
    }));

  it('is loaded after the code where the event has a client, which calls the service', () =>
    withClient(async (client, keys) => {
      await withReactor(`${WATCHED} const more = loads; ${CALL}`, async (reactor) => {
        for (let round = 0; round < 2; round += 1)
          expect((await reactor.invoke({}, { client })).response).toEqual(
            returned({ called: { id: 'x' }, loads: 1, more: 0 }),
          );
      });
      expect(keys).toEqual(['the_key', 'the_key']);
    }));

  it('is loaded once where the code requires it, and also creates the client', () =>
    withClient(async (client, keys) => {
      const code = `${WATCHED} const sdk = require('@cloakroom/sdk'); const more = loads; ${CALL}`;
      await withReactor(code, async (reactor) => {
        expect((await reactor.invoke({}, { client })).response).toEqual(
          returned({ called: { id: 'x' }, loads: 1, more: 1 }),
        );
        expect((await reactor.invoke()).response).toEqual(returned({ called: null, loads: 1, more: 1 }));
      });
      expect(keys).toEqual(['the_key']);
    }));

  it('cannot be replaced by the code', () =>
    withClient(async (client) => {
      const code = `const sdk = require('@cloakroom/sdk'); let replaced = [];
        for (const replace of [
          () => { sdk.createClient = () => 'forged'; },
          () => Object.defineProperty(sdk, 'createClient', { value: () => 'forged' }),
          () => { Object.prototype['@cloakroom/sdk'] = { exports: { createClient: () => 'forged' } }; },
        ]) try { replace() } catch {}
        module.exports = async ({ bt }) => typeof bt.tokens.retrieve;`;
      await withReactor(code, async (reactor) => {
        expect((await reactor.invoke({}, { client })).response).toEqual(returned('function'));
      });
    }));

  // Changes to built-ins as polyfills and careful libraries make them.
  it.each([
    [
      'polyfilled',
      `Array.prototype.last = function () { return this[this.length - 1] }; Object.prototype.also = 1; Promise.prototype.done = () => {}; String.prototype.replaceAll = function (from, to) { return this.split(from).join(to) };`,
    ],
    [
      'frozen',
      `for (const { prototype } of [Object, Array, Function, Error, TypeError, Promise, Map, Set, String, Number, RegExp, Date, Uint8Array]) Object.freeze(prototype); for (const owner of [Object, Reflect, JSON, Math, Promise, Array, Error]) Object.freeze(owner);`,
    ],
    [
      'subclassed',
      `globalThis.Error = class Error extends globalThis.Error {}; globalThis.Map = class Map extends globalThis.Map {}; globalThis.Promise = class Promise extends globalThis.Promise {};`,
    ],
    ['without stacks', `Error.stackTraceLimit = 0; Error.prepareStackTrace = () => { throw 1 };`],
  ])('creates a client that works where built-ins are %s', (_how, before) =>
    withClient(async (client, keys) => {
      const code = `${before} module.exports = async ({ bt }) => (await bt.tokens.retrieve('x')).id;`;
      await withReactor(code, async (reactor) => {
        expect((await reactor.invoke({}, { client })).response).toEqual(returned('x'));
      });
      expect(keys).toEqual(['the_key']);
    }),
  );

  it('fails the invocation where it cannot be loaded, and not the next one', () =>
    withClient(async (client) => {
      const code = `const { defineProperty } = Object;
        Object.defineProperty = (target, key, descriptor) => { if (key === 'createClient') throw new RangeError('no'); return defineProperty(target, key, descriptor) };
        module.exports = async () => 1;`;
      await withReactor(code, async (reactor) => {
        const { response: reply } = await reactor.invoke({}, { client });
        expect([reply.outcome, reply.error?.class]).toEqual(['threw', 'RangeError']);
        expect((await reactor.invoke()).response).toEqual(returned(1));
        expect(reactor.started()).toBe(1);
      });
    }));
});
