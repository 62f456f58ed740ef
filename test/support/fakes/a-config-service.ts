import { createHash } from 'node:crypto';
import { CallFailed, type ConfigService, type Owner, type Tagged } from '../../../bin/config/service.ts';
import type { Kind } from '../../../bin/config/model.ts';
import { validateGrants } from '../../../src/core/access/validate-grants.ts';
import type { Application } from '../../../src/core/applications/application.ts';
import { codeDigest, codeHash } from '../../../src/core/reactors/code-hash.ts';
import { KEYS_MAX } from '../../../src/core/applications/application-key.ts';
import { defined } from '../../../src/core/shared/defined.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import type { Proxy } from '../../../src/core/stored-proxies/stored-proxy.ts';
import { parseAt } from '../../../src/http/parse-input.ts';
import {
  createApplicationBody,
  presentApplication,
  updateApplicationBody,
} from '../../../src/wire/application.ts';
import { createKeyBody, updateKeyBody } from '../../../src/wire/application-key.ts';
import { createProxyBody, newProxyOf, presentProxy } from '../../../src/wire/proxy.ts';
import { createReactorBody } from '../../../src/wire/reactor.ts';
import { presentRuntime, runtimeChangeOf } from '../../../src/wire/runtime.ts';
import { updateTenantBody } from '../../../src/wire/tenant.ts';
import { formatTimestamp } from '../../../src/core/shared/timestamp.ts';
import type { ZodMiniType } from 'zod/mini';

const TENANT = '5f9c1f0e-3c53-4f6e-9a53-0d9c6a1c2b11';
const STRICT = { clientCompatibility: 'strict' } as const;

interface StoredKey {
  readonly body: JsonObject;
  readonly text: string;
  readonly counter: number;
}

interface Stored {
  readonly kind: Kind;
  readonly externalId: string | undefined;
  /** Has the form of a response, without the external id. */
  readonly body: JsonObject;
  /** The values of a configuration, which no response of a proxy has. */
  readonly values: JsonObject;
  readonly labels: JsonObject;
  readonly code?: string;
  readonly counter: number;
  readonly keys: readonly StoredKey[];
}

const failed = (status: number, code: string, message: string = code) =>
  new CallFailed(status, code, `${String(status)} ${message}`);

/** The problems of a body as the service finds them. */
function parsed<T>(schema: ZodMiniType<T>, body: JsonObject): T {
  return checked(() => parseAt(schema, body, '', 'strict'));
}
function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw failed(400, 'validation_failed', JSON.stringify(error.errors));
  }
}

const textIn = (body: JsonObject, name: string): string => {
  const value = body[name];
  return typeof value === 'string' ? value : '';
};

const without = (body: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** Names of the calls that a hook sees. */
export type CallName = keyof ConfigService;

/** Runs before a call has an effect, and after it, before the caller has the response. */
export type Around = (call: CallName, at: 'before' | 'after') => Promise<void> | void;

/**
 * A small service: it stores what the wire schemas accept, and has tags, external ids, keys and
 * idempotency keys as the contract says. Its clock is `now`.
 */
export class AConfigService {
  now = Date.parse('2026-12-01T00:00:00Z');

  readonly resources = new Map<string, Stored>();

  tenant = {
    name: 'Shop',
    settings: { deduplicate_tokens: false, ephemeral_proxy: true },
    revision: null as string | null,
    counter: 1,
  };

  /** Every write in order, for judges. */
  readonly writes: string[] = [];

  readonly #responses = new Map<string, { readonly id: string; readonly text: string }>();

  #ids = 0;

  readonly self: string;

  constructor() {
    const made = this.#create('applications', {
      name: 'CI',
      type: 'management',
      permissions: ['application:create', 'application:update', 'application:delete', 'application:read'],
    });
    this.self = made.id;
  }

  /** A client of the service, whose calls a hook can stop. */
  client(around: Around = () => undefined): ConfigService {
    const call =
      <Args extends readonly unknown[], Result>(name: CallName, act: (...args: Args) => Result) =>
      async (...args: Args): Promise<Result> => {
        await around(name, 'before');
        const result = act(...args);
        await around(name, 'after');
        return result;
      };
    return {
      tenant: call('tenant', () => this.#taggedTenant()),
      writeTenant: call('writeTenant', (body: JsonObject, ifMatch: string) =>
        this.#writeTenant(body, ifMatch),
      ),
      self: call('self', () => this.self),
      defaultImage: call('defaultImage', () => 'node24'),
      list: call('list', (kind: Kind) => this.list(kind)),
      retrieve: call('retrieve', (kind: Kind, id: string) => this.#tagged(id, this.#stored(kind, id))),
      retrieveCode: call('retrieveCode', (id: string) => ({ code: this.#stored('reactors', id).code ?? '' })),
      create: call('create', (kind: Kind, body: JsonObject) => this.#create(kind, body)),
      update: call('update', (kind: Kind, id: string, body: JsonObject, { ifMatch }: { ifMatch: string }) =>
        this.#update(kind, id, body, ifMatch),
      ),
      remove: call('remove', (kind: Kind, id: string, { ifMatch }: { ifMatch: string }) => {
        this.#match(id, this.#stored(kind, id).counter, ifMatch);
        this.resources.delete(id);
        this.writes.push(`remove ${id}`);
      }),
      keys: call('keys', (owner: Owner, id: string) => this.#stored(owner, id).keys.map(({ body }) => body)),
      retrieveKey: call('retrieveKey', (owner: Owner, id: string, keyId: string) => {
        const { body, counter } = this.#key(owner, id, keyId);
        return { etag: this.#tag(keyId, counter), body };
      }),
      createKey: call('createKey', (owner: Owner, id: string, body: JsonObject, idempotencyKey: string) => {
        const made = this.#responses.get(idempotencyKey) ?? this.#createKey(owner, id, body);
        this.#responses.set(idempotencyKey, made);
        return { id: made.id, key: new Secret(made.text) };
      }),
      changeKey: call(
        'changeKey',
        (owner: Owner, id: string, keyId: string, body: JsonObject, ifMatch: string) => {
          const key = this.#key(owner, id, keyId);
          this.#match(keyId, key.counter, ifMatch);
          this.#setKey(id, keyId, { ...key, body: changedKey(key.body, body), counter: key.counter + 1 });
        },
      ),
      removeKey: call(
        'removeKey',
        (owner: Owner, id: string, keyId: string, { ifMatch }: { ifMatch: string }) => {
          this.#match(keyId, this.#key(owner, id, keyId).counter, ifMatch);
          this.#setKey(id, keyId, undefined);
        },
      ),
    };
  }

  list(kind: Kind): readonly JsonObject[] {
    return this.#ofKind(kind).map(([id, stored]) => this.#tagged(id, stored).body);
  }

  /** Lists the texts of all living keys, with their owners. */
  livingKeys(): readonly { readonly owner: string; readonly id: string; readonly text: string }[] {
    return [...this.resources].flatMap(([owner, { keys }]) =>
      keys.map(({ body, text }) => ({ owner, id: textIn(body, 'id'), text })),
    );
  }

  /** Creates a resource as a person would in the console. */
  byHand(kind: Kind, body: JsonObject): Tagged & { readonly key?: Secret<string> } {
    return this.#create(kind, body);
  }

  #newId(): string {
    this.#ids += 1;
    return `019ab4c2-0000-7000-8000-${this.#ids.toString(16).padStart(12, '0')}`;
  }

  readonly #tag = (id: string, counter: number): string => `"${id}.${String(counter)}"`;

  #match(id: string, counter: number, ifMatch: string): void {
    if (ifMatch !== '*' && ifMatch !== this.#tag(id, counter)) throw failed(412, 'precondition_failed');
  }

  #ofKind(kind: Kind): readonly (readonly [string, Stored])[] {
    return [...this.resources].filter(([, stored]) => stored.kind === kind);
  }

  #stored(kind: Kind, id: string): Stored {
    const found = this.resources.get(id);
    if (found?.kind !== kind) throw failed(404, 'not_found');
    return found;
  }

  #tagged(id: string, stored: Stored): Tagged {
    const { body, values, labels, externalId, code, kind, counter } = stored;
    const names = Object.keys(values);
    const { application } = body;
    const actor =
      kind === 'reactors' && isJsonObject(application)
        ? this.resources.get(textIn(application, 'id'))?.body
        : undefined;
    const shown = {
      ...body,
      ...(actor !== undefined && { application: actor }),
      ...(externalId !== undefined && { external_id: externalId }),
      ...(kind !== 'applications' && { configuration_names: names }),
      ...(code !== undefined && { code_digest: codeDigest(code) }),
      ...(Object.keys(labels).length > 0 && { configuration_labels: labels }),
    };
    return { id, etag: this.#tag(id, counter), body: structuredClone(shown) };
  }

  #taggedTenant(): Tagged {
    const { name, settings, revision, counter } = this.tenant;
    const body = {
      id: TENANT,
      name,
      settings,
      recovered_at: null,
      configuration_revision: revision,
      service_version: '0.1.0',
    };
    return { id: TENANT, etag: this.#tag(TENANT, counter), body };
  }

  #writeTenant({ configuration_revision: revision, ...body }: JsonObject, ifMatch: string): Tagged {
    const { name, settings } = parsed(updateTenantBody, body);
    this.#match(TENANT, this.tenant.counter, ifMatch);
    this.tenant = {
      name,
      settings: { ...this.tenant.settings, ...(settings as typeof this.tenant.settings) },
      revision: revision === undefined ? this.tenant.revision : (revision as string | null),
      counter: this.tenant.counter + 1,
    };
    this.writes.push(`tenant ${JSON.stringify(revision)}`);
    return this.#taggedTenant();
  }

  #checkExternalId(kind: Kind, externalId: Json | undefined, own?: string): void {
    if (typeof externalId !== 'string') return;
    if (this.#ofKind(kind).some(([id, stored]) => id !== own && stored.externalId === externalId))
      throw failed(409, 'external_id_taken');
  }

  #create(kind: Kind, sent: JsonObject): Tagged & { readonly key?: Secret<string> } {
    const { external_id: externalId } = sent;
    const id = this.#newId();
    const stored = this.#read(kind, id, sent, undefined);
    this.#checkExternalId(kind, externalId);
    this.resources.set(id, stored);
    this.writes.push(`create ${id}`);
    if (kind === 'reactors') return this.#tagged(id, stored);
    const { text } = this.#createKey(kind, id, {});
    return { ...this.#tagged(id, stored), key: new Secret(text) };
  }

  #update(kind: Kind, id: string, sent: JsonObject, ifMatch: string): Tagged {
    const before = this.#stored(kind, id);
    const stored = this.#read(kind, id, sent, before);
    this.#match(id, before.counter, ifMatch);
    this.#checkExternalId(kind, sent['external_id'], id);
    this.resources.set(id, stored);
    this.writes.push(`update ${id}`);
    return this.#tagged(id, stored);
  }

  /** The stored form of a request, by the schemas and presenters of the service. */
  #read(kind: Kind, id: string, sent: JsonObject, before: Stored | undefined): Stored {
    const body = without(sent, 'external_id', 'configuration_labels');
    const { external_id: externalId = before?.externalId } = sent;
    const record = { id, tenantId: TENANT, createdBy: this.#ids === 1 ? id : this.self, createdAt: this.now };
    const history = before === undefined ? record : { ...record, modifiedAt: this.now };
    const read =
      kind === 'applications'
        ? this.#readApplication(body, history, before)
        : kind === 'proxies'
          ? this.#readProxy(body, history, before)
          : this.#readReactor(body, history);
    return {
      kind,
      externalId: typeof externalId === 'string' ? externalId : undefined,
      labels: (sent['configuration_labels'] ?? {}) as JsonObject,
      counter: (before?.counter ?? 0) + 1,
      keys: before?.keys ?? [],
      ...read,
    };
  }

  #readApplication(body: JsonObject, history: object, before: Stored | undefined) {
    const input =
      before === undefined
        ? parsed(createApplicationBody, body)
        : {
            ...parsed(updateApplicationBody, body),
            type: before.body['type'] as Application['type'],
            ...(before.body['expires_at'] !== undefined && {
              expiresAtMs: Date.parse(textIn(before.body, 'expires_at')),
            }),
          };
    const errors = validateGrants(input.type, input, []);
    if (Object.keys(errors).length > 0) throw failed(400, 'validation_failed', JSON.stringify(errors));
    return {
      body: presentApplication({ ...history, ...input } as unknown as Application) as JsonObject,
      values: {},
    };
  }

  #readProxy(body: JsonObject, history: object, before: Stored | undefined) {
    const { draft } = checked(() => newProxyOf(parsed(createProxyBody, body), STRICT));
    if (draft.applicationId !== undefined) this.#stored('applications', draft.applicationId);
    const pinned = (transforms: readonly object[]) =>
      transforms.map((each) => {
        if (!('reactorId' in each)) return each;
        const { code = '', body: reactor } = this.#stored('reactors', String(each.reactorId));
        const { image } = reactor['runtime'] as { readonly image: 'node16' | 'node24' };
        return { ...each, codeHash: codeHash(code, { image }) };
      });
    const definition = {
      ...draft,
      requestTransforms: pinned(draft.requestTransforms),
      responseTransforms: pinned(draft.responseTransforms),
    };
    const values = (body['configuration'] ?? before?.values ?? {}) as JsonObject;
    const stored = {
      ...history,
      definitionVersion: (before?.counter ?? 0) + 1,
      configurationNames: Object.keys(values),
    };
    return { body: presentProxy({ stored, definition } as unknown as Proxy) as JsonObject, values };
  }

  #readReactor(body: JsonObject, history: object) {
    const { definition, runtime } = parsed(createReactorBody, body);
    const change = checked(() => runtimeChangeOf(runtime, STRICT));
    const { applicationId } = definition;
    const application = applicationId === undefined ? undefined : this.#stored('applications', applicationId);
    const view = presentRuntime({
      image: change?.image ?? 'node24',
      nodeVersion: '24',
      status: 'supported' as 'deprecated',
      warmConcurrency: change?.warmConcurrency ?? 1,
      isOutdated: false,
    });
    const { id, createdAt } = history as { readonly id: string; readonly createdAt: number };
    return {
      body: defined({
        id,
        tenant_id: TENANT,
        name: definition.name,
        application: application === undefined ? undefined : { id: applicationId ?? '' },
        runtime: view,
        created_by: this.self,
        created_at: formatTimestamp(createdAt),
      }) as JsonObject,
      values: (body['configuration'] ?? {}) as JsonObject,
      code: definition.code.reveal(),
    };
  }

  #key(owner: Owner, id: string, keyId: string): StoredKey {
    const found = this.#stored(owner, id).keys.find(({ body }) => body['id'] === keyId);
    if (found === undefined) throw failed(404, 'not_found');
    return found;
  }

  #createKey(owner: Owner, id: string, sent: JsonObject) {
    parsed(createKeyBody, sent);
    const stored = this.#stored(owner, id);
    if (stored.keys.length >= KEYS_MAX) throw failed(400, 'too_many_keys');
    const keyId = this.#newId();
    const text = `key_${createHash('sha256').update(keyId).digest('hex')}`;
    const body = changedKey(
      { id: keyId, hint: text.slice(-4), created_at: formatTimestamp(this.now), source_addresses: [] },
      sent,
    );
    this.resources.set(id, { ...stored, keys: [{ body, text, counter: 1 }, ...stored.keys] });
    this.writes.push(`key ${id}`);
    return { id: keyId, text };
  }

  #setKey(id: string, keyId: string, changed: StoredKey | undefined): void {
    const stored = this.resources.get(id);
    if (stored === undefined) return;
    const keys = stored.keys.flatMap((key) => (key.body['id'] === keyId ? (changed ?? []) : key));
    this.resources.set(id, { ...stored, keys });
    this.writes.push(`key ${id}`);
  }
}

/** Applies a merge patch to a key, which has the form of a response. */
function changedKey(before: JsonObject, sent: JsonObject): JsonObject {
  const { patch } = parsed(updateKeyBody, sent);
  const { expiresAtMs, sourceAddresses } = patch;
  const end =
    expiresAtMs === undefined
      ? before['expires_at']
      : expiresAtMs === null
        ? undefined
        : formatTimestamp(expiresAtMs);
  return defined({
    ...before,
    name: patch.name === undefined ? before['name'] : (patch.name ?? undefined),
    expires_at: end,
    source_addresses:
      sourceAddresses === undefined ? before['source_addresses'] : [...(sourceAddresses ?? [])],
  }) as JsonObject;
}
