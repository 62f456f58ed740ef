import console from 'node:console';

let count = 0;

export async function handler({ command, name }) {
  if (command === 'sweep') console.log('swept');
  if (command !== 'create-tenant') return { command };
  count += 1;
  return {
    tenant_id: `${name}-${count}-${Date.now()}`,
    management_key: 'key_management',
    webhook_secret: 'whsec_secret',
  };
}
