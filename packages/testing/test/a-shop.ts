import type { Vault } from '../src/index.ts';

export const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035, cvc: '123' };
const PERMISSIONS = ['token:create', 'token:read', 'token:use', 'token:delete'] as const;

/** An application that reads plaintext, and its client. */
export async function aShop(vault: Vault) {
  const rules = [
    { priority: 1, container: '/', permissions: [...PERMISSIONS], transform: 'reveal' as const },
  ];
  const application = await vault.applications.create({ name: 'Shop', type: 'private', rules });
  return { application, client: vault.client({ apiKey: application.key }) };
}
