import { SERVICE_VERSION } from '../../src/core/shared/service-version.ts';
import { presentTenant } from '../../src/wire/tenant.ts';

describe('the tenant', () => {
  const tenant = {
    id: 't-1',
    name: 'Shop',
    settings: { deduplicateTokens: true, ephemeralProxy: false },
    createdAt: 0,
    revision: 1,
  };

  it('has exactly the members of the contract', () => {
    expect(presentTenant(tenant, 'strict')).toEqual({
      id: 't-1',
      name: 'Shop',
      settings: { deduplicate_tokens: true, ephemeral_proxy: false },
      configuration_revision: null,
      recovered_at: null,
      service_version: SERVICE_VERSION,
    });
    const recovered = presentTenant({ ...tenant, recoveredAt: 1_000 }, 'strict');
    expect(recovered.recovered_at).toBe('1970-01-01T00:00:01+00:00');
  });

  it('has also its owner, which is itself, and its time of creation for clients in the field', () => {
    expect(presentTenant(tenant, 'lenient')).toEqual({
      id: 't-1',
      owner_id: 't-1',
      name: 'Shop',
      settings: { deduplicate_tokens: 'true', ephemeral_proxy: 'false' },
      created_at: '1970-01-01T00:00:00+00:00',
      configuration_revision: null,
      recovered_at: null,
      service_version: SERVICE_VERSION,
    });
  });
});
