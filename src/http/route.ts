import type { ZodMiniType } from 'zod/mini';
import type { Caller } from '../core/applications/application.ts';
import type { Unaudited } from '../core/audit/effects.ts';
import type { Permission } from '../core/access/permission.ts';
import type { Json } from '../core/shared/json.ts';
import type { RunOnce } from '../core/shared/run-once.ts';
import type { WriteIdentity } from '../core/shared/write-identity.ts';
import type { ResponseHeader } from './reserved-headers.ts';
import type { RawAnswer } from './raw-answer.ts';
import type { ApiRequest } from './api-request.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What a route's handler gets: a caller whose permission was checked, and a body and query whose
 * shape was.
 */
export interface RouteInput<Body, Query, Prefetched> {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly prefetched: Prefetched;
  /** The request itself, for operations that pass it on. */
  readonly request: ApiRequest;
  readonly writes: WriteIdentity;
  /** Guards what must not run twice under one idempotency key. */
  readonly once: RunOnce;
}

/** What a handler answers: a JSON value, and a status other than the route's own if it depends. */
export interface RouteAnswer {
  readonly status?: number;
  readonly body?: Json;
  /** An answer of somebody else, passed on as it is. */
  readonly raw?: RawAnswer;
  /** Headers of the interface that belong to the answer, without their prefix. */
  readonly reservedHeaders?: Readonly<Partial<Record<ResponseHeader, string>>>;
  /**
   * What an idempotency key keeps instead of the body, for the route's `replay` to make the body
   * from.
   */
  readonly kept?: Json;
  /** Until when that may be kept, in ms since the epoch, if not for the whole day. */
  readonly keepUntil?: number;
}

/** One operation of the interface: a row of a function's table. */
export interface RouteDefinition<Deps, Body, Query, Prefetched> {
  /** Name of the operation in the OpenAPI document and the log. */
  readonly operation: string;
  readonly method: Method;
  /**
   * `/tokens/{id}`: segments in braces become parameters; `{rest+}` at the end takes all that
   * follows.
   */
  readonly path: string;
  /** What `{id}` in the path is the id of. */
  readonly subject?: 'token' | 'application' | 'reactor';
  /**
   * The permission of the operation (docs/api.md#operations). The caller must hold it somewhere;
   * `core` decides about each token.
   */
  readonly permission?: Permission;
  /** The operation depends on the tenant's settings: they are read along with the caller. */
  readonly needsSettings?: boolean;
  readonly success: 200 | 201 | 202 | 204;
  readonly body?: ZodMiniType<Body>;
  /** Largest body in bytes, if it is less than that of every request. */
  readonly bodyMaxBytes?: number;
  /** Only `application/merge-patch+json` is accepted. */
  readonly mergePatch?: boolean;
  /** What {@link queryOf} makes; without it the operation has no query parameters. */
  readonly query?: ZodMiniType<Query>;
  /** Query and body are passed on to another service, and not checked here. */
  readonly passesOn?: boolean;
  /**
   * Starts a read beside authentication, for the tenant of a key that this instance has seen
   * accepted before. The result is used only if the key is accepted again.
   */
  readonly prefetch?: (
    deps: Unaudited<Deps>,
    tenantId: string,
    params: Readonly<Record<string, string>>,
  ) => Promise<Prefetched>;
  /**
   * What an idempotency key does: nothing (`none`); or it is checked, but nothing is kept, since
   * asking again answers as well (`read_only`). Without this, the first success is kept, and with
   * it whatever the answer says is `kept`.
   */
  readonly idempotency?: 'none' | 'read_only';
  /**
   * Makes the answer again, as the caller may see it now, from what was `kept` of the first one.
   */
  readonly replay?: (
    deps: Deps,
    input: Pick<RouteInput<Body, Query, Prefetched>, 'caller' | 'body'>,
    kept: Json,
  ) => Promise<RouteAnswer>;
  readonly handle: (
    deps: Deps,
    input: RouteInput<Body, Query, Prefetched | undefined>,
  ) => Promise<RouteAnswer>;
}

/** A row whose types have been checked against each other; the dispatcher needs to know no more. */
export type Route<Deps> = RouteDefinition<Deps, unknown, unknown, unknown>;

/** Checks a row's types against each other and erases them. */
export function route<Deps, Body = undefined, Query = undefined, Prefetched = undefined>(
  definition: RouteDefinition<Deps, Body, Query, Prefetched>,
): Route<Deps> {
  // Body, query and prefetched value reach `handle` only from this row's own schemas and
  // `prefetch`.
  return definition as unknown as Route<Deps>;
}

/** A request that has found its route. */
export interface MatchedRoute<Deps> {
  readonly route: Route<Deps>;
  readonly params: Readonly<Record<string, string>>;
  readonly request: ApiRequest;
}
