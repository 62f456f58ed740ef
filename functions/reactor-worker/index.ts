import { machineInstance } from '../../src/adapters/instance.ts';
import { dependencies } from './dependencies.ts';
import { createHandler } from './handler.ts';

export const handler = createHandler(dependencies(process.env, machineInstance()));
