import { httpClient, type ApiResponse } from '../../../test/support/http-client.ts';
import { CARD } from '../../../test/support/sample-requests.ts';

/** An operation of a client of the load, and how often out of a hundred it happens. */
export interface Operation {
  readonly name: string;
  readonly weight: number;
  readonly run: () => Promise<ApiResponse>;
}

export interface TrafficOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly destination: string;
  readonly reactorId: string;
}

/** A known token of the traffic; some are there before it begins. */
function pick<T>(from: readonly T[]): T | undefined {
  return from[Math.floor(Math.random() * from.length)];
}

/**
 * The mix of a shop: mostly reads, some cards, now and then everything else. Tokens that are made
 * are used later.
 */
// oxlint-disable-next-line max-lines-per-function -- a table: one row for each request of the mix
export function traffic({ baseUrl, key, destination, reactorId }: TrafficOptions): readonly Operation[] {
  const ids: string[] = [];
  const client = httpClient(baseUrl, key);
  const create = async (body: unknown) => {
    const response = await client.post('/tokens', body);
    if (response.status === 201) ids.push((response.body as { id: string }).id);
    return response;
  };
  const customer = () => `customer-${String(Math.floor(Math.random() * 200))}`;
  const known = () => pick(ids) ?? 'none-yet';
  return [
    { name: 'get token', weight: 38, run: () => client.get(`/tokens/${known()}`) },
    {
      name: 'create card',
      weight: 20,
      run: () =>
        create({
          type: 'card',
          data: { ...CARD, ...(Math.random() < 0.3 && { cvc: '123' }) },
          metadata: { customer: customer() },
        }),
    },
    {
      name: 'create token',
      weight: 6,
      run: () => create({ type: 'token', data: { name: 'Ada', note: 'x'.repeat(400) } }),
    },
    {
      name: 'list by metadata',
      weight: 6,
      run: () => client.get(`/tokens?metadata.customer=${customer()}&size=20`),
    },
    {
      name: 'search',
      weight: 4,
      run: () => client.post('/tokens/search', { query: `metadata.customer:"${customer()}"` }),
    },
    {
      name: 'update token',
      weight: 6,
      run: () => client.patch(`/tokens/${known()}`, { metadata: { seen: String(Date.now()) } }),
    },
    {
      name: 'delete token',
      weight: 4,
      run: () => {
        const id = ids.length > 100 ? ids.splice(Math.floor(Math.random() * ids.length), 1)[0] : undefined;
        return id === undefined ? create({ type: 'token', data: 1 }) : client.delete(`/tokens/${id}`);
      },
    },
    {
      name: 'tokenize 10',
      weight: 4,
      run: () =>
        client.post(
          '/tokenize',
          Array.from({ length: 10 }, (_, at) => `value ${String(at)}`),
        ),
    },
    {
      name: 'detokenize 5',
      weight: 6,
      run: () =>
        client.post(
          '/detokenize',
          Array.from({ length: 5 }, () => `{{ ${known()} }}`),
        ),
    },
    {
      name: 'proxy',
      weight: 4,
      run: () =>
        client.post('/proxy', { card: `{{ ${known()} }}` }, { headers: { 'SVC-PROXY-URL': destination } }),
    },
    {
      name: 'react',
      weight: 2,
      run: () => client.post(`/reactors/${reactorId}/react`, { args: { card: `{{ ${known()} }}` } }),
    },
  ];
}

/** Chooses an operation at random. Its weight is its probability in relation to the others. */
export function choose(operations: readonly Operation[]): Operation {
  let at = Math.random() * operations.reduce((total, { weight }) => total + weight, 0);
  const found = operations.find(({ weight }) => (at -= weight) < 0) ?? operations[0];
  if (found === undefined) throw new Error('load: no operations');
  return found;
}
