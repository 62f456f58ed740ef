import type { Caller } from '../../../src/core/access/caller.ts';
import { TENANT } from './a-stored-token.ts';

/** A private application that may create and read tokens. */
export const aCaller = (more: Partial<Caller> = {}): Caller => ({
  tenantId: TENANT,
  credentialId: 'credential-1',
  applicationId: 'app-1',
  type: 'private',
  actsBy: 'own_key',
  keyId: 'key-1',
  permissions: ['token:create', 'token:read'],
  rules: [],
  tenantSettings: { deduplicateTokens: false, ephemeralProxy: true },
  ...more,
});
