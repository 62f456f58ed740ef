import { createKeyBody, updateKeyBody } from '../../src/wire/application-key.ts';

const networks = (count: number) => Array.from({ length: count }, (_, at) => `203.0.${String(at)}.0/24`);
const pathsOf = (schema: typeof createKeyBody | typeof updateKeyBody, body: unknown) => {
  const parsed = schema.safeParse(body);
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
};

describe('the body of a new key', () => {
  it('may be empty', () => {
    expect(createKeyBody.parse({})).toEqual({ sourceAddresses: [] });
  });

  it('has networks in one form, each once', () => {
    const input = ['203.0.113.7', '203.0.113.7/32', '2001:0db8::/48'];
    expect(createKeyBody.parse({ source_addresses: input })).toEqual({
      sourceAddresses: ['203.0.113.7/32', '2001:db8::/48'],
    });
  });

  it.each([
    [{ source_addresses: networks(21) }, 'source_addresses'],
    [{ source_addresses: ['203.0.113.7/24'] }, 'source_addresses.0'],
    [{ source_addresses: ['203.0.113.7', 7] }, 'source_addresses.1'],
    [{ source_addresses: '203.0.113.7' }, 'source_addresses'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: '' }, 'name'],
  ])('%j is refused', (body, path) => {
    expect(pathsOf(createKeyBody, body)).toEqual([path]);
  });

  it('has up to twenty networks', () => {
    expect(createKeyBody.parse({ source_addresses: networks(20) }).sourceAddresses).toHaveLength(20);
  });
});

describe('the patch of a key', () => {
  it('removes what is null', () => {
    const { patch } = updateKeyBody.parse({ name: null, expires_at: null, source_addresses: null });
    expect(patch).toEqual({ name: null, expiresAtMs: null, sourceAddresses: null });
  });

  it('keeps what it does not name, and may repeat what no patch changes', () => {
    expect(updateKeyBody.parse({ hint: 'x7Qp' })).toEqual({ patch: {}, unchanged: { hint: 'x7Qp' } });
  });
});
