import { randomUUID } from 'node:crypto';
import { encryptDefinition, encryptName } from '../../../src/core/stored-proxies/open-proxy.ts';
import { createProxyPins, pinsOf } from '../../../src/core/stored-proxies/pinning-proxies.ts';
import type {
  ProxyDefinition,
  RunReactor,
  StoredProxy,
} from '../../../src/core/stored-proxies/stored-proxy.ts';
import { aVault } from '../../support/builders/a-vault.ts';

const TENANT = randomUUID();
const REACTOR = randomUUID();

const run = (codeHash: string, reactorId = REACTOR): RunReactor => ({ type: 'reactor', reactorId, codeHash });

const aDefinition = (name: string, ...transforms: readonly RunReactor[]): ProxyDefinition => ({
  name,
  destinationUrl: 'https://psp.example',
  requestTransforms: transforms,
  responseTransforms: transforms,
  requireAuth: true,
  sourceAddresses: [],
  timeoutSeconds: 25,
});

/** Stored proxies, the definitions of which are counted when they are opened. */
async function aWorld(definitions: readonly ProxyDefinition[], hasPins = true) {
  const vault = aVault();
  const stored = await Promise.all(
    definitions.map(async (definition) => {
      const place = { tenantId: TENANT, id: randomUUID() };
      return {
        ...place,
        definitionVersion: 1,
        encryptedDefinition: await encryptDefinition(vault, place, 1, definition),
        encryptedName: await encryptName(vault, place, definition),
        ...(hasPins && { pins: pinsOf(definition) }),
      } as unknown as StoredProxy;
    }),
  );
  let read = 0;
  const pins = createProxyPins({
    vault,
    proxyStore: {
      async *listed() {
        yield await Promise.resolve(stored.map((each) => ({ ...each, bytes: 1 })));
      },
      findMany: (_, ids) => {
        read += ids.length;
        return Promise.resolve(stored.filter(({ id }) => ids.includes(id)));
      },
    },
  });
  const namesOf = async (codeHash: string) =>
    (await pins.of({ tenantId: TENANT, id: REACTOR, codeHash })).map(({ name }) => name);
  return { namesOf, read: () => read };
}

const DEFINITIONS = [
  aDefinition('this code', run('a'), run('a')),
  aDefinition('other code', run('b')),
  aDefinition('this code elsewhere', run('a', randomUUID())),
  aDefinition('both', run('b'), run('a')),
  aDefinition('none'),
];

describe('the proxies that run code of a reactor', () => {
  it('are found by what lists read, without a definition', async () => {
    const { namesOf, read } = await aWorld(DEFINITIONS);
    expect(await namesOf('a')).toEqual(['this code', 'both']);
    expect(await namesOf('c')).toEqual([]);
    expect(read()).toBe(0);
  });

  it('are found by their definitions if an earlier release stored them, of at most 100', async () => {
    const { namesOf } = await aWorld(DEFINITIONS, false);
    expect(await namesOf('a')).toEqual(['this code', 'both']);
    const many = await aWorld(
      Array.from({ length: 120 }, () => aDefinition('x', run('a'))),
      false,
    );
    expect([(await many.namesOf('a')).length, many.read()]).toEqual([100, 100]);
  });
});

it('the pins of a definition have each code once', () => {
  expect(pinsOf(aDefinition('x', run('a'), run('b'), run('a')))).toEqual([
    { reactorId: REACTOR, codeHash: 'a' },
    { reactorId: REACTOR, codeHash: 'b' },
  ]);
});
