import type { Context } from 'aws-lambda';
import { machineInstance } from '../../src/adapters/instance.ts';
import { dependencies } from './dependencies.ts';
import { runSweep } from './run-sweep.ts';

const deps = dependencies(process.env, machineInstance());

export const handler = (_event: unknown, context: Context): Promise<void> =>
  runSweep(deps, context.getRemainingTimeInMillis());
