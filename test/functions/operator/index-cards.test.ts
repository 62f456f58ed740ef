import { indexCardsStep, type IndexCardsDeps } from '../../../src/core/operator/index-cards.ts';
import { writeAgain } from '../../../src/core/operator/walk-tokens.ts';
import { manyInstances } from '../../support/many-instances.ts';
import { CARD } from '../../support/sample-requests.ts';

const LAST_FOUR = CARD.number.slice(-4);

/** A tenant with cards that were created before cards had an index, and how to search them. */
async function olderCards(bodies: readonly object[]) {
  const world = await manyInstances();
  const { operator } = world;
  const tenantId = await world.aTenant();
  const { key } = await world.anApplication(tenantId);
  const ask = world.anInstance();
  const ids: string[] = [];
  for (const body of bodies) {
    const { status, body: made } = await ask('POST', '/tokens', key, body);
    if (status !== 201) throw new Error(`create: ${String(status)}`);
    ids.push(made['id'] as string);
  }
  const found = await operator.tokenStore.findSummaries(tenantId, ids);
  for (const token of await operator.tokenStore.readData(found))
    if (!(await writeAgain(operator, token, { terms: [] }))) throw new Error('test: it was not written');
  const search = async () => {
    const { body } = await ask('POST', '/tokens/search', key, { query: `data:"${LAST_FOUR}"` });
    return (body['data'] as readonly { readonly id: string }[]).map(({ id }) => id).toSorted();
  };
  return { ...world, tenantId, ids, search };
}

/** Takes all steps, and adds up what they did. */
async function indexed(deps: IndexCardsDeps, tenantId: string) {
  const all = { indexed: 0, seen: 0, left: [] as string[] };
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const { next, ...step } = await indexCardsStep(deps, tenantId, after);
    all.indexed += step.indexed;
    all.seen += step.seen;
    all.left.push(...step.left);
    after = next;
  }
  return all;
}

describe('index-cards', () => {
  it('lets a search find older cards under the mask of their type, and only those', async () => {
    const { operator, tenantId, ids, search, database, failures } = await olderCards([
      { type: 'card', data: CARD },
      { type: 'card_number', data: CARD.number },
      { type: 'card', data: CARD, mask: { number: 'hidden' } },
      { type: 'card', data: CARD, search_indexes: [] },
      { type: 'token', data: LAST_FOUR },
    ]);
    expect(await search()).toEqual([]);
    expect(await indexed(operator, tenantId)).toEqual({ indexed: 2, seen: 4, left: [] });
    expect(await search()).toEqual(ids.slice(0, 2).toSorted());
    // A repeat finds nothing to do.
    expect(await indexed(operator, tenantId)).toEqual({ indexed: 0, seen: 4, left: [] });
    expect(failures).toEqual([]);
    await database.close();
  });

  it('leaves a card that does not open, and goes on with the others', async () => {
    const cards = [1, 2, 3].map(() => ({ type: 'card', data: CARD }));
    const { operator, tenantId, ids, search, database, failures } = await olderCards(cards);
    const [broken = '', ...others] = ids;
    const readData: typeof operator.tokenStore.readData = async (tokens) =>
      (await operator.tokenStore.readData(tokens)).map((token) =>
        token.id === broken
          ? {
              ...token,
              encryptedData: Buffer.concat([token.encryptedData.subarray(0, 20), Buffer.alloc(60)]),
            }
          : token,
      );
    const deps = { ...operator, tokenStore: { ...operator.tokenStore, readData } };
    expect(await indexed(deps, tenantId)).toEqual({ indexed: 2, seen: 3, left: [broken] });
    expect(await search()).toEqual(others.toSorted());
    expect(failures).toMatchObject([{ name: 'RecordCorruptedError' }]);
    await database.close();
  });
});
