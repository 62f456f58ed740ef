import type { Action, DynaliteStore } from './dynalite-types.ts';
import { toFailure } from './failures.ts';

/** Runs one of dynalite's actions. Rejects with AwsError for what DynamoDB would report. `T` is what the action answers. */
export function runAction<T>(action: Action, store: DynaliteStore, data: unknown): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    action(store, data, (error, result) => {
      if (error === null || error === undefined) resolve(result as T);
      else reject(toFailure(error) as Error);
    });
  });
}
