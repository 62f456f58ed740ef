import { randomUUID } from 'node:crypto';
import { ALL_TOKEN_PERMISSIONS, anApplication, management } from '../support/service.ts';

type Client = Pick<Awaited<ReturnType<typeof anApplication>>, 'get' | 'post'>;

/** How each list makes one of its resources. */
const LISTS: Record<string, (reader: Client) => Promise<{ readonly body: { readonly id: string } }>> = {
  tokens: (reader) => reader.post('/tokens', { type: 'token', data: 'x' }),
  applications: () =>
    management.post('/applications', { name: 'Listed', type: 'public', permissions: ['token:create'] }),
  proxies: () => management.post('/proxies', { name: 'Listed', destination_url: 'https://psp.example' }),
  reactors: () =>
    management.post('/reactors', { name: 'Listed', code: 'module.exports = () => ({});', configuration: {} }),
};

/** Reads all pages of a list, with two resources on each, and returns their ids. */
async function pagesOf(from: Client, list: string, ids: readonly string[]): Promise<readonly string[]> {
  const query = ids.map((id) => `&id=${id}`).join('');
  const seen: string[] = [];
  for (let after: string | null = ''; after !== null;) {
    const { body } = await from.get(`/${list}?size=2${query}${after === '' ? '' : `&after=${after}`}`);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    after = body.pagination.after;
  }
  return seen;
}

describe('a list by ids', () => {
  it.each(Object.entries(LISTS))(
    'has %s in the order of the ids, over pages, each once',
    async (list, make) => {
      const reader = await anApplication({ permissions: ALL_TOKEN_PERMISSIONS });
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) made.push((await make(reader)).body.id);
      const from = list === 'tokens' ? reader : management;
      const [a = '', b = '', c = '', d = '', e = ''] = made;
      expect(await pagesOf(from, list, [c, a, randomUUID(), e, c, b, d])).toEqual([c, a, e, b, d]);
      expect(await pagesOf(from, list, [a, b, c])).toEqual([a, b, c]);
    },
  );
});
