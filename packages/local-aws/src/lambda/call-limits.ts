import { AwsError } from '../aws-service.ts';
import { createTokenBucket, type TokenBucket } from '../token-bucket.ts';
import type { LambdaOperation } from './control-plane/lambda-operation.ts';

/**
 * Calls a second for the whole account
 * (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html#api-requests).
 */
export interface CallLimitSettings {
  /** Limits all calls except Invoke and GetFunction together. Default: 15. */
  readonly controlPerSecond: number;
  /** Limits GetFunction. Default: 100. */
  readonly readPerSecond: number;
}

export const accountCallLimits: CallLimitSettings = { controlPerSecond: 15, readPerSecond: 100 };

export interface CallLimits {
  /** Counts a call. Throws {@link AwsError} `TooManyRequestsException`. */
  take(limit: NonNullable<LambdaOperation['limit']>): void;
  /** Refuses the next calls except Invoke, regardless of the limits. */
  throttleNext(calls: number): void;
  change(settings: Partial<CallLimitSettings>): void;
  readonly settings: CallLimitSettings;
  readonly throttled: number;
}

/** `now` returns milliseconds. */
export function createCallLimits(now?: () => number): CallLimits {
  // AWS does not publish its burst; a client may rely on one second's worth.
  const bucket = (ratePerSecond: number): TokenBucket =>
    createTokenBucket({ ratePerSecond, burst: ratePerSecond }, now);
  let settings = accountCallLimits;
  let control = bucket(settings.controlPerSecond);
  let read = bucket(settings.readPerSecond);
  let throttled = 0;

  function passes(limit: 'control' | 'read'): boolean {
    if (throttled === 0) return limit === 'control' ? control() : read();
    throttled -= 1;
    return false;
  }

  return {
    take: (limit) => {
      if (limit !== 'none' && !passes(limit))
        throw new AwsError('TooManyRequestsException', 429, 'Rate exceeded', {
          Reason: 'CallerRateLimitExceeded',
        });
    },
    throttleNext: (calls) => {
      throttled = calls;
    },
    change: (changes) => {
      settings = { ...settings, ...changes };
      control = bucket(settings.controlPerSecond);
      read = bucket(settings.readPerSecond);
    },
    get settings() {
      return settings;
    },
    get throttled() {
      return throttled;
    },
  };
}
