import { brand } from './brand.ts';

/**
 * No response, or an incomplete one: whether a write happened is unknown. Repeat it under an
 * idempotency key.
 * @example try { await client.tokens.retrieve(id); } catch (error) { if (error instanceof ConnectionError) console.error(error.message); }
 */
export class ConnectionError extends Error {
  /** The platform's code of the cause, such as `ECONNREFUSED`, if it has one. */
  override readonly cause: { readonly code: string } | undefined;

  constructor(message: string, cause?: { readonly code: string }) {
    super(message);
    this.name = 'ConnectionError';
    this.cause = cause;
  }
}

/**
 * The response exceeded `timeoutMs`.
 * @example try { await client.tokens.retrieve(id, { timeoutMs: 2_000 }); } catch (error) { if (error instanceof TimeoutError) console.error('too slow'); }
 */
export class TimeoutError extends ConnectionError {
  constructor(timeoutMs: number) {
    super(`The service did not respond within ${String(timeoutMs)} ms`);
    this.name = 'TimeoutError';
  }
}

brand(ConnectionError, 'ConnectionError');
brand(TimeoutError, 'TimeoutError');
