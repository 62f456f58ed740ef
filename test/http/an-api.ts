import { createHash } from 'node:crypto';
import type { Caller } from '../../src/core/access/caller.ts';
import type { Credential } from '../../src/core/access/credential-store.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import type { RequestLogLine } from '../../src/lambda/request-log.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { aVault } from '../support/builders/a-vault.ts';
import { KEY } from '../support/builders/an-event.ts';
import { createIdempotencyStore } from '../../src/adapters/dynamodb/idempotency-store.ts';
import { itemsOf, tablesInMemory } from '../support/stores-in-memory.ts';
import { someTenantKeys } from '../support/tenant-keys.ts';
import { anAuditLog } from '../support/fakes/an-audit.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const aRoot = { wrapped: Buffer.alloc(16), since: 1, addedAt: 1, startedAt: 1 };

/** Creates all dependencies in memory, and records what they do. */
export function anApi() {
  const lines: RequestLogLine[] = [];
  const hashOf = (key: string) => createHash('sha256').update(key).digest();
  const credentials = new Map<string, Credential>();
  const allow = (key: string, caller: Caller, more: Partial<Credential> = {}) =>
    credentials.set(hashOf(key).toString('hex'), { keyHash: hashOf(key), caller, ...more });
  allow(KEY, aCaller());
  let now = 1_000_000;
  const tables = tablesInMemory(() => now);
  const findByKeyHash = (hash: Buffer) => Promise.resolve(credentials.get(hash.toString('hex')));
  const audit = anAuditLog({ clock: () => now });
  const deps: Unaudited<ApiDeps> = {
    credentialStore: { findByKeyHash },
    tenantBasicsStore: {
      basics: () =>
        Promise.resolve({
          settings: { deduplicateTokens: false, ephemeralProxy: true },
          roots: [aRoot],
          keyVersion: 1,
        }),
    },
    sessionStore: { findByKeyHash },
    invocationCredentials: { findByKeyHash },
    ...machinePlatform,
    clock: () => now,
    idempotencyStore: createIdempotencyStore(tables.table('Ephemeral')),
    tenantKeys: someTenantKeys(),
    vault: aVault(),
    auditLog: audit.log,
    headerPrefixes: ['SVC', 'ACME'],
    clientCompatibility: 'strict',
    docsUrl: '',
    edgeSecret: [],
    keyUses: { note: () => Promise.resolve() },
    onRetiredKeyUsed: () => undefined,
    log: (line) => lines.push(line),
  };
  return {
    deps,
    lines,
    /** The stored items of requests with an idempotency key. */
    requestItems: () => [...itemsOf(tables, 'Ephemeral')],
    audit,
    allow,
    pass: (ms: number) => (now += ms),
    forget: (key: string) => credentials.delete(hashOf(key).toString('hex')),
  };
}
