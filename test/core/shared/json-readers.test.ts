import { createSecretKey, randomBytes } from 'node:crypto';
import { outcomeOf } from '../../../src/adapters/lambda/run-answer.ts';
import { sealRecord } from '../../../src/core/crypto/record-seal.ts';
import { createVault } from '../../../src/core/crypto/vault.ts';
import { createBudget } from '../../../src/core/expressions/budget.ts';
import { renderTemplate } from '../../../src/core/expressions/render.ts';
import { contentOfText } from '../../../src/core/shared/content.ts';
import { listTokensQuery } from '../../../functions/tokens/schemas.ts';
import { parseJsonBody } from '../../../src/http/json-body.ts';
import { aMisreadValue } from '../../support/misread-names.ts';
import { tenantKeysFrom } from '../../support/tenant-keys.ts';

type Value = ReturnType<typeof aMisreadValue>;

const dataKey = { version: 1, key: createSecretKey(randomBytes(32)) };
const vault = createVault(tenantKeysFrom(() => dataKey.key));
const context = { tenantId: 'tenant', recordId: 'record', field: 'data' };

/**
 * Everything of the service that reads JSON which somebody else wrote, and the value as that reads
 * it.
 */
const READERS: Readonly<Record<string, (value: Value) => unknown>> = {
  'a body': (value) => parseJsonBody(contentOfText(JSON.stringify(value))),
  'an opened record': async (value) =>
    (await vault.open(context, sealRecord(dataKey, context, Buffer.from(JSON.stringify(value))))).reveal(),
  'the answer of a reactor': (value) => {
    const outcome = outcomeOf(Buffer.from(JSON.stringify({ outcome: 'returned', value })));
    return outcome.outcome === 'returned' && outcome.value.reveal();
  },
  'a filter by metadata': (value) => {
    const query = new URLSearchParams({ metadata: JSON.stringify(value) });
    return Object.fromEntries(listTokensQuery.parse(query).filters.metadata);
  },
  'what an expression makes': (value) =>
    renderTemplate("{{ data | json: '$' }}", { data: value }, createBudget()),
};

describe('V8 reads a name wrong, but it is right in', () => {
  it.each(Object.entries(READERS))('%s', async (_, read) => {
    const value = aMisreadValue();
    expect(await read(value)).toEqual(value);
  });

  it('none of them because V8 reads it right: once the Node.js of package.json does, decision 0014 can go', () => {
    const value = aMisreadValue();
    expect(JSON.parse(JSON.stringify(value))).not.toEqual(value);
  });
});
