import { presentTenant } from '../../../functions/applications/present.ts';

describe('the tenant', () => {
  const tenant = { id: 't-1', name: 'Shop', settings: { deduplicateTokens: true }, createdAt: 0 };

  it('has exactly the members of the contract', () => {
    expect(presentTenant(tenant, 'strict')).toEqual({
      id: 't-1',
      name: 'Shop',
      settings: { deduplicate_tokens: true },
    });
  });

  it('has also its owner, which is itself, and its time of creation for clients in the field', () => {
    expect(presentTenant(tenant, 'lenient')).toEqual({
      id: 't-1',
      owner_id: 't-1',
      name: 'Shop',
      settings: { deduplicate_tokens: 'true' },
      created_at: '1970-01-01T00:00:00+00:00',
    });
  });
});
