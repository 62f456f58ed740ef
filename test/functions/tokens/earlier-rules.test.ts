import { proven } from '../../../src/core/tokens/encrypt-content.ts';
import { rederive } from '../../../src/core/tokens/rederive.ts';
import { tokenType } from '../../../src/core/tokens/token-type.ts';
import type { TokenType } from '../../../src/core/tokens/types/definition.ts';
import { manyInstances } from '../../support/many-instances.ts';

/** Tokens that a version with other rules has stored. */
const STORED = [
  { type: 'card', data: { number: '0000000000000000', expiration_month: 1, expiration_year: 2030 } },
  { type: 'card_number', data: '4242424242424241' },
  { type: 'bank', data: { account_number: '000123456789', routing_number: '990000000' } },
  { type: 'us_bank_routing_number', data: '990000000' },
] as const;

it.each(STORED)(
  'changes a stored $type, and derives its values, by whatever rules its data was checked',
  async ({ type, data }) => {
    const { operator, aTenant, anApplication, anInstance, database } = await manyInstances();
    const tenantId = await aTenant();
    const { key } = await anApplication(tenantId);
    const ask = anInstance();
    const definition: { check: TokenType['check'] } = tokenType(type);
    const { check } = definition;
    definition.check = (value) => value;
    const { status, body: created } = await ask('POST', '/tokens', key, { type, data });
    definition.check = check;
    const path = `/tokens/${created['id'] as string}`;
    expect([status, (await ask('POST', '/tokens', key, { type, data })).status]).toEqual([201, 400]);

    const changed = await ask('PATCH', path, key, { metadata: { order: '7' }, containers: ['/a/'] });
    expect([changed.status, changed.body['metadata']]).toEqual([200, { order: '7' }]);
    // Data that a request sends is checked, also if it is a part.
    expect((await ask('PATCH', path, key, { data })).status).toBe(400);

    const found = await operator.tokenStore.findSummaries(tenantId, [created['id'] as string]);
    const [token] = await operator.tokenStore.readData(found);
    if (token === undefined) throw new Error('test: there is no token');
    expect((await rederive(operator, await proven(operator.vault, token))).fingerprint).toBe(
      token.fingerprint,
    );
    await database.close();
  },
);
