import type { Context } from 'aws-lambda';
import { machineInstance } from '../../src/adapters/instance.ts';
import { dependencies } from './dependencies.ts';
import { runSealer } from './run-sealer.ts';

const deps = dependencies(process.env, machineInstance());

export const handler = (_event: unknown, context: Context): Promise<void> =>
  runSealer(deps, context.getRemainingTimeInMillis());
