import type { Action, DynaliteStore } from './dynalite-types.ts';
import { toFailure } from './failures.ts';

/**
 * Runs one of dynalite's actions. Rejects with AwsError for failures that DynamoDB would report.
 */
export function runAction<Result>(
  action: Action<Result>,
  store: DynaliteStore,
  data: unknown,
): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    action(store, data, (error, result) => {
      if (error === null || error === undefined) resolve(result as Result);
      else reject(toFailure(error));
    });
  });
}
