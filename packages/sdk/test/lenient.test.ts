import { readFileSync } from 'node:fs';
import { withService } from './a-service.ts';
import { MEMBER_NAMES } from '../../../reactor-runtime/lenient/member-names.ts';
import { withReactor } from '../../../test/reactor-runtime/a-reactor.ts';

/** Runs the code in the layer of a lenient deployment. */
const lenientResponse = (code: string, changes: Record<string, unknown> = {}) =>
  withReactor(code, async (reactor) => (await reactor.invoke({}, changes)).response, {
    compatibility: 'lenient',
  });

/** Runs code that calls the service, and returns the request that the service received. */
async function called(body: string, replies: readonly unknown[]) {
  const responses = replies.map((reply) => ({ status: 200, body: reply }));
  return withService(responses, async (baseUrl, received) => {
    const client = { base_url: baseUrl, api_key: 'key', header_prefix: 'SVC' };
    const { value } = await lenientResponse(`module.exports = async ({ bt }) => { ${body} }`, { client });
    return { value, received: received.map(({ body: sent, url }) => sent ?? url) };
  });
}

const TOKEN = {
  id: 'x',
  type: 'token',
  tenant_id: 't',
  created_at: 'then',
  data: { created_at: 'data', tenant_id: 't', type: 'a' },
  metadata: { created_at: 'metadata' },
};

describe('bt of a lenient deployment', () => {
  it('sends members in camel case under their names in the interface, and leaves names inside of data', async () => {
    const { received } = await called(
      `const other = { expiresAt: 'a', searchIndexes: 'b' };
       await bt.tokens.create({ type: 'token', data: other, metadata: other, mask: other, fingerprintExpression: 'f', deduplicateToken: true, expiresAt: 'e', searchIndexes: [], unknownMember: 1 }, { timeoutMs: 9000 });
       await bt.tokens.update('x', { expiresAt: null, expires_at: 'both' });
       await bt.tenants.update({ settings: { deduplicateTokens: true } });
       await bt.tokenize({ list: [{ type: 'token', data: other, deduplicateToken: true }], expiresAt: { deduplicateToken: 'mine' } });
       await bt.detokenize({ expiresAt: '{{ x }}', type: 'a', data: 'b' });
       await bt.reactors.create({ name: 'r', code: 'c', configuration: { expiresAt: 'mine' }, application: { id: 'a' } });`,
      [TOKEN, TOKEN, {}, {}, {}, {}],
    );
    const other = { expiresAt: 'a', searchIndexes: 'b' };
    expect(received).toEqual([
      {
        type: 'token',
        data: other,
        metadata: other,
        mask: other,
        fingerprint_expression: 'f',
        deduplicate_token: true,
        expires_at: 'e',
        search_indexes: [],
        unknownMember: 1,
      },
      { expiresAt: null, expires_at: 'both' },
      { settings: { deduplicate_tokens: true } },
      {
        list: [{ type: 'token', data: other, deduplicate_token: true }],
        expiresAt: { deduplicateToken: 'mine' },
      },
      { expiresAt: '{{ x }}', type: 'a', data: 'b' },
      { name: 'r', code: 'c', configuration: { expiresAt: 'mine' }, application: { id: 'a' } },
    ]);
  });

  it('returns responses with camel-case members, whose JSON is that of the service', async () => {
    const page = { data: [TOKEN], pagination: { page_size: 1, after: null } };
    const { value } = await called(
      `const token = await bt.tokens.retrieve('x'); const page = await bt.tokens.list(); const all = []; for await (const each of bt.tokens.list()) all.push(each.createdAt);
       const { deep } = await bt.tokenize({ deep: ['text'] }); const data = await bt.detokenize({ created_at: '{{ x }}' });
       const { data: again, response } = await bt.tokens.retrieve('x').withResponse();
       return { read: [token.createdAt, token.tenantId, token.data.createdAt, token.metadata.createdAt, page.data[0].createdAt, page.pagination.pageSize, all, deep[0].createdAt, deep[0].data.createdAt, data.createdAt, again.createdAt, response.status], token };`,
      [TOKEN, page, page, { deep: [TOKEN] }, { created_at: 'mine' }, TOKEN],
    );
    const absent = null;
    expect(value).toEqual({
      read: ['then', 't', absent, absent, 'then', 1, ['then'], 'then', absent, absent, 'then', 200],
      token: TOKEN,
    });
  });

  it('knows every name of the interface that contains an underscore', () => {
    const { components } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
      components: { schemas: Record<string, unknown> };
    };
    // The content of `data` is the caller's own. A reactor acts as a private application, which
    // reads no audit records, no keys, no stored proxies, no rights of others and no deliveries.
    const { CardData: _card, BankData: _bank, LogRecord: _record, ...others } = components.schemas;
    const schemas = Object.entries(others).filter(
      ([name]) =>
        !/ApplicationKey|Proxy(?!Problem)|Transform$|ExplainAccess|Explanation|ParkedDelivery/.test(name),
    );
    const names = new Set<string>();
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties } = value as { properties?: object };
      for (const name of Object.keys(properties ?? {})) if (/[a-z]_[a-z]/.test(name)) names.add(name);
      Object.values(value).forEach(collect);
    };
    collect(schemas);
    for (const name of MEMBER_NAMES) names.delete(name);
    // Only expressions read the first three, which belong to enrichments. The proxy's own errors
    // have the last two.
    expect([...names].toSorted()).toEqual([
      'bin_details',
      'bin_length',
      'card_brand',
      'destination_status',
      'proxy_error',
    ]);
  });
});

describe('the error classes of the field', () => {
  const NAME = '@basis-theory/basis-theory-reactor-formulas-sdk-js';
  const thrown = (expression: string) =>
    lenientResponse(`const sdk = require('${NAME}'); module.exports = async () => { throw ${expression} };`);

  it('can be required under the name that reactors in the field use, only in a lenient deployment', async () => {
    const { error } = await thrown(`new sdk.BadRequestError({ 'card.number': ['bad'] })`);
    expect(error).toMatchObject({ status: 400, message: '', errors: { 'card.number': ['bad'] } });
    const strict = `require('${NAME}'); module.exports = () => 1;`;
    const refused = await withReactor(strict, async (reactor) => (await reactor.invoke()).response);
    expect(refused).toEqual({ outcome: 'not_loaded', reason: 'module', module: NAME });
  });

  it('have CustomHttpResponseError, whose body is among the errors', async () => {
    const { error } = await thrown(
      `new sdk.CustomHttpResponseError({ status: 402, headers: { a: 'b' }, body: { declined: true } })`,
    );
    expect(error).toMatchObject({
      class: 'CustomHttpResponseError',
      status: 402,
      errors: { body: ['{"declined":true}'] },
    });
    expect((await thrown(`new sdk.CustomHttpResponseError({ status: 418 })`)).error).toMatchObject({
      status: 418,
      errors: null,
    });
    expect((await thrown(`new sdk.CustomHttpResponseError({ status: '402' })`)).error).toMatchObject({
      class: 'Error',
      message: 'status is not a valid integer',
    });
  });
});
