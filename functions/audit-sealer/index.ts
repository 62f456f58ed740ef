import type { Context } from 'aws-lambda';
import { dependencies } from './dependencies.ts';
import { runSealer } from './run-sealer.ts';

const deps = dependencies(process.env);

export const handler = (_event: unknown, context: Context): Promise<void> =>
  runSealer(deps, context.getRemainingTimeInMillis());
