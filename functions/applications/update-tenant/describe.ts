import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { tenantResponse, updateTenantWords } from '../../../src/wire/tenant.ts';

export const description: OperationDescription = {
  sdk: 'tenants.update',
  recorded: { by: 'management' },
  does: 'Replaces the name, and the settings that the body has',
  tag: 'Tenant',
  summary: 'Update the tenant',
  description: 'Replaces the name, and the settings in the body.',
  members: updateTenantWords(),
  requests: {
    shop: { summary: 'A shop', value: { name: 'Shop', settings: { deduplicate_tokens: false } } },
    destinations: {
      summary: 'No ephemeral proxy',
      value: { name: 'Shop', settings: { ephemeral_proxy: false } },
    },
  },
  response: { hasTag: true, description: 'The tenant after the update.', schema: tenantResponse() },
};
