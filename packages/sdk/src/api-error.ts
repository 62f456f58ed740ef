import type { FieldErrors } from './errors.ts';
import { brand } from './brand.ts';

/**
 * The service rejected or failed a call (RFC 9457, docs/api.md).
 * @example try { await client.tokens.retrieve(id); } catch (error) { if (!(error instanceof ApiError && error.code === 'not_found')) throw error; }
 */
export class ApiError extends Error {
  declare readonly status: number;
  declare readonly title: string;
  /**
   * The error for programs (docs/api.md#errors); `undefined` if the response is not the service's
   * own.
   */
  declare readonly code: string | undefined;
  /**
   * The page of the code, if the service has documentation: an address, or a path of the service.
   */
  declare readonly type: string | undefined;
  declare readonly detail: string | undefined;
  /** Problems of the request. Each key is the path of a member. */
  declare readonly errors: FieldErrors | undefined;
  /** The id that the request has in the service's logs. */
  declare readonly traceId: string | undefined;
  /** Seconds after which the client may retry. */
  declare readonly retryAfter: number | undefined;

  constructor(details: Omit<ApiError, keyof Error>) {
    const { status, title, detail } = details;
    super(detail === undefined ? `${String(status)} ${title}` : `${String(status)} ${title}: ${detail}`);
    this.name = 'ApiError';
    Object.assign(this, details);
  }
}

brand(ApiError, 'ApiError');
