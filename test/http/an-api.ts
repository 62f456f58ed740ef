import { createHash, randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Caller } from '../../core/applications/application.ts';
import type { Credential } from '../../core/applications/application-store.ts';
import type { Vault } from '../../core/crypto/vault.ts';
import type { IdempotencyScope, IdempotencyStore } from '../../core/shared/idempotency-store.ts';
import type { Json } from '../../core/shared/json.ts';
import { Secret } from '../../core/shared/secret.ts';
import type { EdgeDeps } from '../../http/create-api-handler.ts';
import type { RequestLogLine } from '../../http/request-log.ts';

export const KEY = `key_private_${'a'.repeat(40)}`;

/** A request as API Gateway hands it over. */
export function anEvent({
  method = 'GET',
  path = '/things',
  query = '',
  headers = { 'SVC-API-KEY': KEY },
  body,
}: {
  method?: string;
  path?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
} = {}): APIGatewayProxyEventV2 {
  return {
    rawPath: path,
    rawQueryString: query,
    headers,
    requestContext: { http: { method } },
    ...(body === undefined ? {} : { body: Buffer.from(body).toString('base64') }),
    isBase64Encoded: true,
  } as unknown as APIGatewayProxyEventV2;
}

export const aCaller = (more: Partial<Caller> = {}): Caller => ({
  tenantId: 'tenant-1',
  credentialId: 'credential-1',
  applicationId: 'app-1',
  type: 'private',
  permissions: ['token:create', 'token:read'],
  rules: [],
  ...more,
});

/** Keeps what was sealed apart from its context, so that what a store holds can be looked into. */
export function aVault(): Vault {
  return {
    seal: (context, value) => Promise.resolve(Buffer.from(JSON.stringify([context, value.reveal()]))),
    open: (context, sealed) => {
      const [sealedFor, value] = JSON.parse(sealed.toString()) as [unknown, Json];
      if (JSON.stringify(sealedFor) !== JSON.stringify(context))
        return Promise.reject(new Error('another context'));
      return Promise.resolve(new Secret(value));
    },
  };
}

interface Claimed {
  seed: Buffer;
  attempt?: string | undefined;
  answer?: Buffer;
}

/** The contract of {@link IdempotencyStore} in memory. */
export function anIdempotencyStore() {
  const records = new Map<string, Claimed>();
  const at = (scope: IdempotencyScope) => `${scope.tenantId}/${scope.request}`;
  const store: IdempotencyStore = {
    claim(scope) {
      const record = records.get(at(scope)) ?? { seed: randomBytes(32) };
      if (record.answer !== undefined)
        return Promise.resolve({ state: 'answered', sealedAnswer: record.answer });
      if (record.attempt !== undefined) return Promise.resolve({ state: 'running' });
      const attempt = randomBytes(8).toString('hex');
      records.set(at(scope), { ...record, attempt });
      return Promise.resolve({ state: 'claimed', seed: record.seed, startedAt: 0, attempt });
    },
    keep(scope, attempt, sealedAnswer) {
      const record = records.get(at(scope));
      if (record?.attempt === attempt) record.answer = sealedAnswer;
      return Promise.resolve();
    },
    release(scope, attempt) {
      const record = records.get(at(scope));
      if (record?.attempt === attempt) record.attempt = undefined;
      return Promise.resolve();
    },
  };
  return { store, records };
}

/** Everything that the edge needs, in memory, and what it leaves behind. */
export function anEdge() {
  const lines: RequestLogLine[] = [];
  const hashOf = (key: string) => createHash('sha256').update(key).digest();
  const credentials = new Map<string, Credential>();
  const allow = (key: string, caller: Caller, more: Partial<Credential> = {}) =>
    credentials.set(hashOf(key).toString('hex'), { keyHash: hashOf(key), caller, ...more });
  allow(KEY, aCaller());
  const { store, records } = anIdempotencyStore();
  const findByKeyHash = (hash: Buffer) => Promise.resolve(credentials.get(hash.toString('hex')));
  const deps: EdgeDeps = {
    credentialStore: { findByKeyHash, settings: () => Promise.resolve({ deduplicateTokens: false }) },
    sessionStore: { findByKeyHash },
    invocationCredentials: { findByKeyHash },
    clock: () => 1_000_000,
    idempotencyStore: store,
    vault: aVault(),
    headerPrefixes: ['SVC', 'ACME'],
    edgeSecret: '',
    log: (line) => lines.push(line),
  };
  return {
    deps,
    lines,
    records,
    allow,
    forget: (key: string) => credentials.delete(hashOf(key).toString('hex')),
  };
}
