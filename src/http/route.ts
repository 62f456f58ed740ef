import type { ZodMiniType } from 'zod/mini';
import type { Caller } from '../core/access/caller.ts';
import type { Unaudited } from '../lambda/audited-deps.ts';
import type { Proxy } from '../core/stored-proxies/stored-proxy.ts';
import type { Permission } from '../core/access/permission.ts';
import type { Revised } from '../core/shared/revision.ts';
import type { Json } from '../core/shared/json.ts';
import type { RunOnce } from '../core/idempotency/run-once.ts';
import type { WriteIdentity } from '../core/shared/write-identity.ts';
import type { ResponseHeader } from './reserved-headers.ts';
import type { RawResponse } from './raw-response.ts';
import type { ApiRequest } from './api-request.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names of the parameters in a path: `id` and `key_id` of `/proxies/{id}/keys/{key_id}`. */
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Tail}+` ? Tail : Name) | ParameterOf<Rest>
  : never;

/** The parameters of a path by their names, which can be any if the compiler does not know it. */
type ParamsOf<Path extends string> = Readonly<
  Record<string extends Path ? string : ParameterOf<Path>, string>
>;

/**
 * The input of a route's handler. The caller has the permission, and body and query have their
 * shapes.
 */
export interface RouteInput<Path extends string, Body, Query, Prefetched> {
  readonly caller: Caller;
  readonly params: ParamsOf<Path>;
  readonly query: Query;
  readonly body: Body;
  readonly prefetched: Prefetched;
  /** The stored proxy whose key the request has; absent for any other request. */
  readonly admitted?: Proxy;
  /** The request itself, for operations that forward it. */
  readonly request: ApiRequest;
  readonly writes: WriteIdentity;
  /** Guards an effect that must happen once per idempotency key. */
  readonly once: RunOnce;
}

/** The result of a handler: a JSON value, and a status if it differs from the route's own. */
export interface RouteResult {
  readonly status?: number;
  readonly body?: Json;
  /** The response of a destination, which is returned unchanged. */
  readonly raw?: RawResponse;
  /** The state of the one resource that the response is about: its entity tag is a header. */
  readonly state?: Revised;
  /** Reserved headers that the response gets, without their prefix. */
  readonly reservedHeaders?: Readonly<Partial<Record<ResponseHeader, string>>>;
  /**
   * Stored under an idempotency key instead of the body. The route's `replay` builds the body from
   * it.
   */
  readonly replayData?: Json;
  /** How long the replay data may be stored, as a time in ms since the epoch. A day if absent. */
  readonly replayUntil?: number;
}

/** One operation of the API, which is a row of a function's table. */
export interface RouteDefinition<Deps, Path extends string, Body, Query, Prefetched> {
  /** Names the operation in the OpenAPI document and the log. */
  readonly operation: string;
  readonly method: Method;
  /**
   * `/tokens/{id}`: segments in braces become parameters; `{rest+}` at the end matches the rest of
   * the path.
   */
  readonly path: Path;
  /** The resource that `{id}` identifies. */
  readonly subject?: 'token' | 'application' | 'reactor' | 'proxy';
  /**
   * The permission of the operation (docs/api.md#operations). The caller needs it in at least one
   * place; `core` decides about each token.
   */
  readonly permission?: Permission;
  /**
   * True if the response shows tokens as the Token object, and so takes the header `SVC-TRANSFORM`.
   */
  readonly takesTransform?: boolean;
  /** True if the operation changes one resource, and so takes `If-Match`. */
  readonly takesCondition?: boolean;
  /**
   * True if the operation depends on the tenant's settings, which are then read with the caller.
   */
  readonly needsSettings?: boolean;
  readonly success: 200 | 201 | 202 | 204;
  readonly body?: ZodMiniType<Body>;
  /** The largest body in bytes, if it is less than the limit of every request. */
  readonly bodyMaxBytes?: number;
  /** True if only `application/merge-patch+json` is accepted. */
  readonly mergePatch?: boolean;
  /** The schema of {@link queryOf}. If absent, the operation has no query parameters. */
  readonly query?: ZodMiniType<Query>;
  /** True if the key of a stored proxy admits requests, beside the API key or in its place. */
  readonly admits?: boolean;
  /** True if query and body are forwarded to another service unchecked. */
  readonly passesOn?: boolean;
  /**
   * Starts a read while the caller is authenticated, for a key that this instance has accepted
   * before. The result is used only if the key is accepted again.
   */
  readonly prefetch?: (
    deps: Unaudited<Deps>,
    tenantId: string,
    params: ParamsOf<Path>,
  ) => Promise<Prefetched>;
  /**
   * With `none` a key has no effect, and with `read_only` it is only checked. By default the first
   * success is stored, with the `replayData` of the result.
   */
  readonly idempotency?: 'none' | 'read_only';
  /**
   * Builds the response again from the `replayData` of the first one, as the caller may see it now.
   */
  readonly replay?: (
    deps: Deps,
    input: Pick<RouteInput<Path, Body, Query, Prefetched>, 'caller' | 'params' | 'body'>,
    replayData: Json,
  ) => Promise<RouteResult>;
  /**
   * Names to the record the tokens that a request refers to in its expressions. It runs if the
   * caller is refused before any token is read. `body` is the JSON of a route with a body, and
   * `null` for any other.
   */
  readonly nameTokens?: (
    deps: Deps,
    input: Pick<RouteInput<Path, Json, Query, Prefetched>, 'caller' | 'body' | 'request' | 'admitted'>,
  ) => Promise<void>;
  readonly handle: (
    deps: Deps,
    input: RouteInput<Path, Body, Query, Prefetched | undefined>,
  ) => Promise<RouteResult>;
}

/** A route after its types were checked. The dispatcher needs no more. */
export type Route<Deps> = RouteDefinition<Deps, string, unknown, unknown, unknown>;

/** Checks the types of a route against each other and erases them. */
export function route<
  Deps,
  const Path extends string,
  Body = undefined,
  Query = undefined,
  Prefetched = undefined,
>(definition: RouteDefinition<Deps, Path, Body, Query, Prefetched>): Route<Deps> {
  // Parameters, body, query and prefetched value reach `handle` only from this route's own path,
  // schemas and `prefetch`.
  return definition as unknown as Route<Deps>;
}

/** The route that matches a request, and the parameters in its path. */
export interface MatchedRoute<Deps> {
  readonly route: Route<Deps>;
  readonly params: Readonly<Record<string, string>>;
  readonly request: ApiRequest;
}
