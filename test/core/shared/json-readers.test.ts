import { createSecretKey, randomBytes } from 'node:crypto';
import { parseRunOutcome } from '../../../src/adapters/lambda/parse-run-outcome.ts';
import { encryptRecord } from '../../../src/core/crypto/record-encryption.ts';
import { createVault } from '../../../src/core/crypto/vault.ts';
import { renderTemplate } from '../../../src/core/expressions/render.ts';
import { contentOfText } from '../../../src/core/shared/content.ts';
import { listTokensQuery } from '../../../src/wire/token.ts';
import { parseJsonBody } from '../../../src/http/parse-json-body.ts';
import { aMisreadValue } from '../../support/a-misread-value.ts';
import { tenantKeysFrom } from '../../support/tenant-keys.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

type Value = ReturnType<typeof aMisreadValue>;

const dataKey = { version: 1, key: createSecretKey(randomBytes(32)) };
const vault = createVault(
  tenantKeysFrom(() => dataKey.key),
  machinePlatform.random,
);
const context = { tenantId: 'tenant', recordId: 'record', field: 'data' };

/** Every reader of untrusted JSON in the service, and the value that it returns. */
const READERS: Readonly<Record<string, (value: Value) => unknown>> = {
  'a body': (value) => parseJsonBody(contentOfText(JSON.stringify(value))),
  'an opened record': async (value) =>
    (
      await vault.decrypt(
        context,
        encryptRecord(machinePlatform.random, dataKey, context, Buffer.from(JSON.stringify(value))),
      )
    ).reveal(),
  'the response of a reactor': (value) => {
    const outcome = parseRunOutcome(Buffer.from(JSON.stringify({ outcome: 'returned', value })));
    return outcome.outcome === 'returned' && outcome.value.reveal();
  },
  'a filter by metadata': (value) => {
    const query = new URLSearchParams({ metadata: JSON.stringify(value) });
    return Object.fromEntries(listTokensQuery.parse(query).filters.metadata);
  },
  'the result of an expression': (value) =>
    renderTemplate("{{ data | json: '$' }}", { data: value }, aBudget()),
};

describe('a name that V8 misreads is correct in', () => {
  it.each(Object.entries(READERS))('%s', async (_, read) => {
    const value = aMisreadValue();
    expect(await read(value)).toEqual(value);
  });

  it('is still misread by V8: once the Node.js of package.json is fixed, decision 0014 is obsolete', () => {
    const value = aMisreadValue();
    expect(JSON.parse(JSON.stringify(value))).not.toEqual(value);
  });
});
