import type { core, ZodMiniType } from 'zod/mini';
import type { Json } from '../core/shared/json.ts';
import { memberPath } from '../core/shared/member-path.ts';
import { invalidMembers, ServiceError } from '../core/shared/service-error.ts';
import type { ApiRequest } from './api-request.ts';
import { parseJsonBody } from './json-body.ts';
import type { Route } from './route.ts';

/** Largest body of any request, in bytes (decisions.md, section 1). */
const BODY_MAX_BYTES = 6_000_000;

const JSON_TYPE = /^[^/\s]+\/(?:[^/\s]+\+)?json$/i;
const MERGE_PATCH = 'application/merge-patch+json';

function mediaType(request: ApiRequest): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Throws `payload_too_large` for a body over 6 MB, or over less where the route says so. */
export function checkBodySize({ bodyMaxBytes = BODY_MAX_BYTES }: Route<never>, request: ApiRequest): void {
  if (request.body.isLargerThan(bodyMaxBytes))
    throw new ServiceError(
      'payload_too_large',
      `The body is larger than ${String(bodyMaxBytes / 1_000_000)} MB.`,
    );
}

/** Throws `unsupported_media_type` where only a merge patch is accepted. */
export function checkMediaType(route: Route<never>, request: ApiRequest): void {
  if (route.mergePatch === true && mediaType(request) !== MERGE_PATCH) {
    throw new ServiceError('unsupported_media_type', `The content type must be ${MERGE_PATCH}.`);
  }
}

/** The messages of a schema by path. Schemas of bodies have messages of their own; none quotes a value. */
function fieldErrors(error: core.$ZodError, at: string): Record<string, string[]> {
  // Paths are the caller's: one named `constructor` is a path like any other.
  const errors = Object.create(null) as Record<string, string[]>;
  for (const issue of error.issues)
    (errors[issue.path.reduce<string>(memberPath, at) || 'body'] ??= []).push(issue.message);
  return errors;
}

/** A value in the shape of a schema. Throws `validation_failed` with paths below `at`. */
export function parseAt<T>(schema: ZodMiniType<T>, value: unknown, at: string): T {
  const result = schema.safeParse(value);
  if (!result.success) throw invalidMembers(fieldErrors(result.error, at));
  return result.data;
}

function jsonOf(request: ApiRequest): Json {
  if (request.body.isEmpty) return {};
  const type = mediaType(request);
  if (type !== '' && !JSON_TYPE.test(type)) {
    throw new ServiceError(
      'validation_failed',
      'The body must be JSON, sent with Content-Type: application/json.',
    );
  }
  return parseJsonBody(request.body);
}

/** The JSON of the body; `undefined` for a route that reads none. Throws `validation_failed`. */
export function readBody(route: Route<never>, request: ApiRequest): Json | undefined {
  return route.body === undefined ? undefined : jsonOf(request);
}

/** The body in the shape of the route's schema. Throws `validation_failed`. */
export function checkBody(route: Route<never>, body: Json | undefined): unknown {
  return route.body === undefined ? undefined : parseAt(route.body, body, '');
}

/** The query in the shape of the route's schema, which is given the parameters as they came. Throws `validation_failed`. */
export function parseQuery(route: Route<never>, request: ApiRequest): unknown {
  return route.query === undefined ? undefined : parseAt(route.query, request.query, '');
}
