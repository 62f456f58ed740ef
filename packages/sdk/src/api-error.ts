import type { FieldErrors } from './errors.ts';
import { brand } from './brand.ts';

/**
 * The service rejected or failed a call (RFC 9457, docs/api.md).
 * @example try { await client.tokens.retrieve(id); } catch (error) { if (!(error instanceof ApiError && error.code === 'not_found')) throw error; }
 */
export class ApiError extends Error {
  readonly status: number;
  readonly title: string;
  /**
   * The error for programs (docs/api.md#errors); `undefined` if the response is not the service's
   * own.
   */
  readonly code: string | undefined;
  readonly detail: string | undefined;
  /** What is wrong with the request. Each key is the path of a member. */
  readonly errors: FieldErrors | undefined;
  /** The id that the request has in the service's logs. */
  readonly traceId: string | undefined;
  /** Seconds after which the client may retry. */
  readonly retryAfter: number | undefined;

  constructor({ status, title, code, detail, errors, traceId, retryAfter }: Omit<ApiError, keyof Error>) {
    super(detail === undefined ? `${String(status)} ${title}` : `${String(status)} ${title}: ${detail}`);
    this.name = 'ApiError';
    this.status = status;
    this.title = title;
    this.code = code;
    this.detail = detail;
    this.errors = errors;
    this.traceId = traceId;
    this.retryAfter = retryAfter;
  }
}

brand(ApiError, 'ApiError');
