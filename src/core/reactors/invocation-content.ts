import type { Grants } from '../access/access-rule.ts';
import type { Vault } from '../crypto/vault.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import type { TokenUse } from '../tokens/token-use.ts';
import type { ContentEnd, InvocationId, InvocationStore, InvocationContent } from './invocation-store.ts';
import type { RunInput } from './run-reactor.ts';

/**
 * Everything that a worker needs to run an invocation: the input of the caller, and its identity.
 * It contains no token data.
 */
export interface InvocationPayload {
  readonly args: Json;
  readonly timeoutMs: number;
  /** Where the result goes; absent if its caller only reads it. */
  readonly callbackUrl?: string;
  readonly service: RunInput['service'];
  readonly applicationId: string;
  /**
   * The grants of a session, which may end before the run begins. The grants of an application are
   * read again for the run.
   */
  readonly session?: Grants & { readonly id: string };
}

/** The result as it is delivered and read: the reactor response, or the error object. */
export interface InvocationResult {
  readonly body: JsonObject;
  /** The tokens that were filled into the arguments, and those that the result shows. */
  readonly uses: readonly TokenUse[];
}

const context = ({ tenantId, id }: InvocationId, content: InvocationContent) => ({
  tenantId,
  recordId: id,
  field: `invocation-${content}`,
});

export interface ContentDeps {
  readonly invocationStore: InvocationStore;
  readonly vault: Vault;
}

async function keep(
  { invocationStore, vault }: ContentDeps,
  id: InvocationId,
  content: InvocationContent,
  value: object,
  end: ContentEnd,
): Promise<void> {
  const encrypted = await vault.encrypt(context(id, content), new Secret(value as Json));
  await invocationStore.putContent(id, content, encrypted, end);
}

/**
 * Only this module encrypts such content, and the authentication tag proves it unchanged, so the
 * type is certain.
 */
async function open<T>(
  { invocationStore, vault }: ContentDeps,
  id: InvocationId,
  content: InvocationContent,
): Promise<Secret<T> | undefined> {
  const encrypted = await invocationStore.content(id, content);
  if (encrypted === undefined) return undefined;
  const value = (await vault.decrypt(context(id, content), encrypted)).reveal();
  if (!isJsonObject(value)) throw new Error(`invocation: its ${content} is no object`);
  return new Secret(value as unknown as T);
}

/** Stores the payload of an invocation until a time in ms since the epoch. */
export function storePayload(deps: ContentDeps, id: InvocationId, payload: InvocationPayload, until: number) {
  return keep(deps, id, 'payload', payload, { until, isSwept: false });
}

export function openPayload(deps: ContentDeps, id: InvocationId) {
  return open<InvocationPayload>(deps, id, 'payload');
}

export function storeResult(deps: ContentDeps, id: InvocationId, result: InvocationResult, end: ContentEnd) {
  return keep(deps, id, 'result', result, end);
}

export function openResult(deps: ContentDeps, id: InvocationId) {
  return open<InvocationResult>(deps, id, 'result');
}
