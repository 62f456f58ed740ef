import type { core, ZodMiniType } from 'zod/mini';
import type { Json } from '../core/shared/json.ts';
import { FieldReporter } from '../core/shared/field-reporter.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { memberPath } from '../core/shared/member-path.ts';
import { invalid, ServiceError } from '../core/shared/service-error.ts';
import type { ApiRequest } from './api-request.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { queryOf } from '../wire/page.ts';
import type { Route } from './route.ts';
import { innerSchemas } from './inner-schemas.ts';
import { inKnownSpelling, reportRestricting } from './known-spelling.ts';
import { reportUnknownMembers } from './report-unknown-members.ts';

/** Largest body that any request may have, in bytes (docs/contract.md#bodies). */
export const BODY_MAX_BYTES = 6_000_000;

const JSON_TYPE = /^[^/\s]+\/(?:[^/\s]+\+)?json$/i;
const MERGE_PATCH = 'application/merge-patch+json';

function mediaType(request: ApiRequest): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Throws `payload_too_large` for a body over 6 MB, or over the smaller limit of the route. */
export function checkBodySize({ bodyMaxBytes = BODY_MAX_BYTES }: Route<never>, request: ApiRequest): void {
  if (request.body.isLargerThan(bodyMaxBytes))
    throw new ServiceError(
      'payload_too_large',
      `The body is larger than ${String(bodyMaxBytes / 1_000_000)} MB.`,
    );
}

/**
 * Throws `unsupported_media_type` if the route accepts only a merge patch and the request has none.
 */
export function checkMediaType(route: Route<never>, request: ApiRequest): void {
  if (route.mergePatch === true && mediaType(request) !== MERGE_PATCH) {
    throw new ServiceError('unsupported_media_type', `The content type must be ${MERGE_PATCH}.`);
  }
}

/**
 * Reports the problems that a schema finds. The schemas have their own messages, none of which
 * quotes a value.
 */
function reportIssues(issues: readonly core.$ZodIssue[], at: string, fields: FieldReporter): void {
  for (const { path, message } of issues) {
    if (fields.isFull) break;
    fields.report(path.reduce<string>(memberPath, at) || 'body', message);
  }
}

/**
 * A value in the shape of a schema. Throws `validation_failed` with paths below `at`, up to the
 * limit, for invalid values and for unknown members. `lenient` ignores unknown members that do not
 * restrict.
 */
export function parseAt<T>(
  schema: ZodMiniType<T>,
  value: unknown,
  at: string,
  compatibility: ClientCompatibility,
): T {
  const fields = new FieldReporter();
  const read = compatibility === 'lenient' ? inKnownSpelling(schema, value, at, fields) : value;
  if (compatibility === 'strict') reportUnknownMembers(schema, value, at, fields);
  const result = schema.safeParse(read);
  if (!result.success) reportIssues(result.error.issues, at, fields);
  if (!result.success || fields.failed) throw fields.error();
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

/**
 * Throws `validation_failed` for a body that the operation does not read, since it would be lost.
 */
function refuseBody(request: ApiRequest): void {
  if (request.body.text?.trim() !== '{}') throw invalid('body', 'must be empty; this operation reads none');
}

/**
 * Throws `validation_failed` for a body that the operation ignores, if its members would restrict
 * something.
 */
function refuseRestricting(request: ApiRequest): void {
  const fields = new FieldReporter();
  let body: Json;
  try {
    body = parseJsonBody(request.body);
  } catch (error) {
    // A body that is not JSON has no members.
    if (error instanceof ServiceError) return;
    throw error;
  }
  reportRestricting(body, fields);
  fields.throwIfFailed();
}

/** The JSON of the body; `undefined` for a route that reads none. Throws `validation_failed`. */
export function readBody(
  route: Route<never>,
  request: ApiRequest,
  compatibility: ClientCompatibility,
): Json | undefined {
  if (route.body !== undefined) return jsonOf(request);
  if (route.passesOn !== true && !request.body.isEmpty)
    (compatibility === 'strict' ? refuseBody : refuseRestricting)(request);
  return undefined;
}

/**
 * The body in the shape of the route's schema. Throws `validation_failed`. An empty body counts as
 * `{}` where that is enough.
 */
export function checkBody(
  { body: schema }: Pick<Route<never>, 'body'>,
  request: Pick<ApiRequest, 'body'>,
  body: Json | undefined,
  compatibility: ClientCompatibility,
): unknown {
  if (schema === undefined) return undefined;
  // A schema without members reads any JSON, so a body that is not JSON is most likely a mistake.
  const isAnyJson = innerSchemas(schema).kind === 'leaf';
  if (request.body.isEmpty && (isAnyJson || !schema.safeParse(body).success))
    throw invalid('body', 'must not be empty: send JSON');
  return parseAt(schema, body, '', compatibility);
}

const NO_PARAMETERS = /* @__PURE__ */ queryOf({ once: [] }, () => undefined);

/**
 * The query in the shape of the route's schema, which receives the parameters unchanged. Throws
 * `validation_failed`, also for an unknown parameter: to ignore a filter would return everything.
 */
export function parseQuery(
  { passesOn = false, query = NO_PARAMETERS }: Route<never>,
  request: ApiRequest,
): unknown {
  return passesOn ? undefined : parseAt(query, request.query, '', 'strict');
}
