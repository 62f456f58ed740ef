import { randomBytes, randomUUID } from 'node:crypto';
import { newPosition } from '../../../src/core/shared/position.ts';
import { serviceIdOf } from '../../../src/core/tokens/service-id.ts';
import type { StoredToken, UnprovenToken } from '../../../src/core/tokens/token.ts';
import type { StoredCvc, TokenWrite } from '../../../src/core/tokens/token-store.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

export const TENANT = '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11';

/** The token is plain and in its stored form. */
export function aStoredToken(more: Partial<UnprovenToken> = {}): StoredToken {
  const createdAt = more.createdAt ?? Date.now();
  const token: UnprovenToken = {
    tenantId: TENANT,
    id: serviceIdOf(more.tenantId ?? TENANT, randomUUID()),
    type: 'token',
    containers: ['/general/high/'],
    fingerprint: randomUUID(),
    matchHash: randomUUID(),
    isSolelyOwn: true,
    isShared: false,
    hasMask: false,
    encryptedData: randomBytes(80),
    clearMac: randomBytes(34),
    createdBy: randomUUID(),
    createdAt,
    position: newPosition(machinePlatform.random, createdAt),
    terms: [],
    derivedSince: 1,
    termsSince: 1,
    holdsLock: false,
    version: 1,
    writeId: randomBytes(12),
    ...more,
  };
  return token as StoredToken;
}

/** The same token as another request has updated it. */
export const changed = (token: UnprovenToken, more: Partial<UnprovenToken> = {}): StoredToken =>
  aStoredToken({ ...token, version: token.version + 1, writeId: randomBytes(12), ...more });

export const aCvc = (until = Date.now() + 3_600_000): StoredCvc => ({ encryptedCvc: randomBytes(60), until });

/** Each of these terms differs. */
export const terms = (count: number, prefix = 'term'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index)}`);

/** A token with everything that can belong to one: parts, a cvc, a lock and terms. */
export function aFullToken(more: Partial<UnprovenToken> = {}): TokenWrite {
  const cvc = aCvc();
  const token = aStoredToken({
    type: 'card',
    encryptedData: randomBytes(800_000),
    cvcUntil: cvc.until,
    terms: terms(3),
    holdsLock: true,
    ...more,
  });
  return { token, cvc };
}
