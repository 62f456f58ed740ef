import type { core, ZodMiniType } from 'zod/mini';
import type { Json } from '../core/shared/json.ts';
import { FieldReporter } from '../core/shared/field-reporter.ts';
import { memberPath } from '../core/shared/member-path.ts';
import { ServiceError } from '../core/shared/service-error.ts';
import type { ApiRequest } from './api-request.ts';
import { parseJsonBody } from './json-body.ts';
import type { Route } from './route.ts';

/** Largest body of any request, in bytes (docs/contract.md#bodies). */
export const BODY_MAX_BYTES = 6_000_000;

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

/**
 * Throws the messages of a schema by path, as many as a caller is shown. Schemas have messages of
 * their own; none quotes a value.
 */
function throwIssues(issues: readonly core.$ZodIssue[], at: string): never {
  const fields = new FieldReporter();
  for (const { path, message } of issues) {
    if (fields.isFull) break;
    fields.report(path.reduce<string>(memberPath, at) || 'body', message);
  }
  throw fields.error();
}

/** A value in the shape of a schema. Throws `validation_failed` with paths below `at`. */
export function parseAt<T>(schema: ZodMiniType<T>, value: unknown, at: string): T {
  const result = schema.safeParse(value);
  return result.success ? result.data : throwIssues(result.error.issues, at);
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

/**
 * The query in the shape of the route's schema, which is given the parameters as they came. Throws
 * `validation_failed`.
 */
export function parseQuery(route: Route<never>, request: ApiRequest): unknown {
  return route.query === undefined ? undefined : parseAt(route.query, request.query, '');
}
