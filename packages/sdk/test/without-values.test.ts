import { createClient, type Client } from '../src/index.ts';
import { createClient as createLenientClient } from '../../../reactor-runtime/lenient/sdk.ts';
import { cases, fc } from '../../test-kit/src/properties.ts';

type Query = Readonly<Record<string, unknown>>;
type Listing = (client: Client, query: any) => AsyncIterable<unknown>;

/** Names every list of the client that has filters. */
const LISTS: readonly (readonly [name: string, list: Listing, filters: readonly string[]])[] = [
  ['tokens', (c, query) => c.tokens.list(query), ['id', 'container', 'metadata']],
  ['applications', (c, query) => c.applications.list(query), ['id', 'type', 'name']],
  ['reactors', (c, query) => c.reactors.list(query), ['id', 'name']],
  ['proxies', (c, query) => c.proxies.list(query), ['id', 'name']],
  ['logs', (c, query) => c.logs.list(query), ['token_id', 'operation', 'outcome', 'from', 'to']],
];

/** Returns the listed items, and the queries of the requests that this took. */
async function listed(list: Listing, query: unknown, create = createClient) {
  const asked: string[] = [];
  const page = JSON.stringify({ data: ['everything'], pagination: { page_size: 20, after: null } });
  const client = create({
    baseUrl: 'http://localhost',
    apiKey: 'k',
    fetch: (url) => {
      asked.push(new URL(url).search);
      return Promise.resolve(new Response(page));
    },
  });
  const items: unknown[] = [];
  try {
    for await (const item of list(client, query)) items.push(item);
    return { items, asked };
  } catch (error) {
    return { error: error as Error, items, asked };
  }
}

const withoutValue = fc.constantFrom<unknown>(
  undefined,
  null,
  '',
  [undefined],
  [null],
  [''],
  ['a', undefined],
);
const unsendable = fc.constantFrom<unknown>(
  {},
  new Date(0),
  new Map([['a', 'b']]),
  NaN,
  () => 'a',
  Symbol('a'),
  [['a']],
);
const nothing = fc.oneof(withoutValue, unsendable, fc.constant<unknown>([]));

describe('a filter without a value', () => {
  it.each(LISTS)('never widens a list of %s: it sends no request', async (_name, list, filters) => {
    const worlds = fc.record({
      filter: fc.constantFrom(...filters),
      value: nothing,
      others: fc.dictionary(fc.constantFrom(...filters, 'size'), fc.constant('a')),
      create: fc.constantFrom(createClient, createLenientClient),
    });
    await fc.assert(
      fc.asyncProperty(worlds, async ({ filter, value, others, create }) => {
        const isFamily = filter === 'metadata';
        const { metadata: _metadata, ...rest } = others;
        const query: Query = { ...rest, [filter]: isFamily ? { customer: value } : value };
        const { items, asked, error } = await listed(list, query, create);
        expect({ items, asked }).toEqual({ items: [], asked: [] });
        const isEmptyList = !isFamily && Array.isArray(value) && value.length === 0;
        expect(error === undefined ? isEmptyList : error instanceof TypeError).toBe(true);
        if (error !== undefined) expect(error.message).toContain(isFamily ? 'metadata.customer' : filter);
      }),
      { numRuns: cases(30) },
    );
  });

  it.each([undefined, null, {}, [], 'a', new Map([['customer', '7']]), new URLSearchParams('a=b')])(
    'is also a `metadata` without keys: %p',
    async (metadata) => {
      const { asked, error } = await listed((c, query) => c.tokens.list(query), { metadata });
      expect([asked, error?.message]).toEqual([
        [],
        'metadata of the query is no object with a key: set a value, or leave the member out',
      ]);
    },
  );

  it.each([new Map([['id', 'a']]), [['id', 'a']], 'id=a', new URLSearchParams('id=a')])(
    'is also a query that is no plain object: %p',
    async (query) => {
      const { asked, error } = await listed((c, filters) => c.tokens.list(filters), query);
      expect([asked, error]).toEqual([[], expect.any(TypeError)]);
    },
  );

  it('is an empty list, as a page, where it may match any of no values', async () => {
    const client = createClient({ baseUrl: 'http://localhost:1', apiKey: 'k' });
    const { data, response } = await client.tokens.list({ id: [] }).withResponse();
    expect(data).toEqual({
      data: [],
      pagination: { total_items: 0, page_number: 1, page_size: 20, total_pages: 0, after: null },
    });
    expect(response).toEqual({ status: 200, headers: {} });
  });
});

it('a filter with values is sent whole, and a member that selects a page may be undefined', async () => {
  const query = { id: ['a', 'b'], metadata: { customer: 7, isOpen: false }, page: undefined, size: 2 };
  const { asked } = await listed((c, filters) => c.tokens.list(filters), query);
  expect(asked).toEqual(['?id=a&id=b&size=2&metadata.customer=7&metadata.isOpen=false']);
});

it.each([
  ['a Map', new Map([['a', 'b']])],
  ['URLSearchParams', new URLSearchParams('a=b')],
  ['a text', 'a=b'],
])(
  '%s as the headers or the query of a call is refused, as its content would be lost',
  async (_title, value: any) => {
    let sent = 0;
    const fetch = () => Promise.resolve(new Response(String((sent += 1))));
    const client = createClient({ baseUrl: 'http://localhost', apiKey: 'k', fetch });
    const url = 'https://psp.example';
    await expect(client.proxy({ url, headers: value })).rejects.toThrow('headers must be a plain object');
    await expect(client.proxy({ url, query: value })).rejects.toThrow('The query must be a plain object');
    expect(() => client.tokens.search(value).then(() => undefined)).toThrow(
      'The query must be a plain object',
    );
    expect(sent).toBe(0);
  },
);
