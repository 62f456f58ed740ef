import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { tenantResponse } from '../../../src/wire/tenant.ts';

export const description: OperationDescription = {
  sdk: 'tenants.retrieve',
  recorded: { by: 'management' },
  does: 'Returns `{ id, name, settings: { deduplicate_tokens, ephemeral_proxy }, recovered_at }`',
  tag: 'Tenant',
  summary: 'Get the tenant of the key',
  response: { hasTag: true, description: 'The tenant.', schema: tenantResponse() },
};
