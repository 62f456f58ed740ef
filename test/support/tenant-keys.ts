import { createHash, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { KeyPurpose } from '../../src/core/crypto/derive-key.ts';
import type { KeyContext, KeyService } from '../../src/core/crypto/key-service.ts';
import type { TenantKeys } from '../../src/core/crypto/tenant-keys.ts';

/** Keys of tenants in memory, with one version, from the function that creates them. */
export function tenantKeysFrom(keyOf: (tenantId: string, purpose: KeyPurpose) => KeyObject): TenantKeys {
  const found = (tenantId: string, purpose: KeyPurpose) =>
    Promise.resolve({ version: 1, key: keyOf(tenantId, purpose) });
  return {
    current: found,
    newest: found,
    version: found,
    all: (tenantId, purpose) => Promise.resolve([keyOf(tenantId, purpose)]),
    searched: (tenantId, purpose) => Promise.resolve([{ version: 1, key: keyOf(tenantId, purpose) }]),
    settled: (tenantId, purpose) => Promise.resolve(keyOf(tenantId, purpose)),
    holds: () => true,
    learn: () => undefined,
  };
}

/** Each tenant and purpose has its own key. */
export const someTenantKeys = (): TenantKeys =>
  tenantKeysFrom((tenantId, purpose) =>
    createSecretKey(createHash('sha256').update(`${tenantId}/${purpose}`).digest()),
  );

const nameOf = (context: KeyContext): string =>
  'tenant' in context ? `tenant ${context.tenant}` : `deployment ${context.deployment}`;

/**
 * A key service in memory that lists the ids of unwrapped keys, those of tenants and deployment
 * keys; `failNext` is the number of calls to fail.
 */
export function aKeyService() {
  const plain = new Map<string, KeyObject>();
  const unwraps: string[] = [];
  let failures = 0;
  const wrap = (key: KeyObject, context: KeyContext): Buffer => {
    const wrapped = randomBytes(16);
    plain.set(`${nameOf(context)} ${wrapped.toString('hex')}`, key);
    return wrapped;
  };
  const service: KeyService = {
    generateKey(context) {
      const key = createSecretKey(randomBytes(32));
      return Promise.resolve({ key, wrapped: wrap(key, context) });
    },
    wrapKey: (key, context) => Promise.resolve(wrap(key, context)),
    unwrapKey(wrapped, context) {
      if (failures > 0) {
        failures -= 1;
        return Promise.reject(new Error('down'));
      }
      unwraps.push('tenant' in context ? context.tenant : context.deployment);
      const key = plain.get(`${nameOf(context)} ${wrapped.toString('hex')}`);
      return key === undefined ? Promise.reject(new Error('another context')) : Promise.resolve(key);
    },
  };
  return {
    service,
    unwraps,
    failNext: (count: number) => (failures = count),
    /** From then on, this wrapped key cannot be unwrapped. */
    lose(wrapped: Buffer) {
      for (const name of plain.keys()) if (name.endsWith(wrapped.toString('hex'))) plain.delete(name);
    },
  };
}
