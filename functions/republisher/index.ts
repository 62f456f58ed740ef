import type { Context } from 'aws-lambda';
import { machineInstance } from '../../src/adapters/instance.ts';
import { dependencies } from './dependencies.ts';
import { republish } from './handler.ts';

const deps = dependencies(process.env, machineInstance());

export const handler = (event: unknown, context: Context): Promise<void> =>
  republish(deps, event, context.getRemainingTimeInMillis());
