import console from 'node:console';

let count = 0;

export async function handler({ command, name, tenant_id: tenantId }) {
  if (command === 'sweep') console.log('swept');
  if (tenantId === 'unknown') throw new Error('The tenant does not exist.');
  if (command !== 'create-tenant') return { command };
  count += 1;
  return {
    tenant_id: `${name}-${count}-${Date.now()}`,
    management_key: 'key_management',
    webhook_secret: 'whsec_secret',
  };
}
