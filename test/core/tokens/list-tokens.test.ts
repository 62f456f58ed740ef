import { containerTerm, subtreeOf } from '../../../src/core/tokens/container-term.ts';
import { createToken } from '../../../src/core/tokens/create-tokens.ts';
import { listTokens } from '../../../src/core/tokens/list-tokens.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { aCaller } from '../../support/builders/a-caller.ts';

it.each([
  ['/pci/', '/pci/'],
  ['/pci', '/pci/'],
  ['/PCI/High', '/pci/high/'],
  ['/', '/'],
  ['', '/'],
  ['pci/', undefined],
  ['/pci//', undefined],
  ['/pci/*', undefined],
  ['/a/b/c/d/e/f/g/h/i', undefined],
])('the subtree of %j is %j', (text, container) => {
  expect(subtreeOf(text)).toBe(container);
});

it.each([
  ['/', false],
  ['/pci/', false],
  ['/pci/high/', false],
  ['/pci/high/eu/', true],
  ['/pci/low/', true],
  ['/pcix/', true],
])('%s has an index: %j', (container, isIndexed) => {
  expect(containerTerm(container) !== undefined).toBe(isIndexed);
});

describe('a list of the tokens of a container', () => {
  it('has those in it and below it, with and without an index, and no others', async () => {
    const { deps } = aWallWorld();
    const caller = aCaller();
    const create = async (type: 'card_number' | 'token', containers?: readonly string[]) => {
      const data = new Secret('4242424242424242');
      const input = { type, data, deduplicateToken: false, ...(containers && { containers }) };
      return (await createToken(deps, caller, input, randomIdentity(machinePlatform.random))).token.id;
    };
    const card = await create('card_number');
    const general = await create('token');
    const deep = await create('token', ['/pci/high/eu/']);
    const low = await create('token', ['/pci/low/', '/general/low/']);
    const list = async (container: string, ids: readonly string[] = []) => {
      const page = { kind: 'numbered', page: 1, size: 10 } as const;
      const { items, info } = await listTokens(deps, caller, { ids, metadata: [], container }, page);
      expect(info.counted?.items).toBe(items.length);
      return new Set(items.map(({ id }) => id));
    };
    expect(await list('/')).toEqual(new Set([card, general, deep, low]));
    expect(await list('/pci/')).toEqual(new Set([card, deep, low]));
    expect(await list('/pci/high/')).toEqual(new Set([card, deep]));
    expect(await list('/pci/low/')).toEqual(new Set([low]));
    expect(await list('/general/low/')).toEqual(new Set([low]));
    expect(await list('/general/')).toEqual(new Set([general, low]));
    expect(await list('/pc/')).toEqual(new Set());
    expect(await list('/pci/high/', [card, general, low])).toEqual(new Set([card]));
    expect(await list('/pci/low/', [card, general, low])).toEqual(new Set([low]));
  });
});
