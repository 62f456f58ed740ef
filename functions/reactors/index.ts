import { machineInstance } from '../../src/adapters/instance.ts';
import { createHandler } from './create-handler.ts';
import { dependencies } from './dependencies.ts';

export const handler = createHandler(dependencies(process.env, machineInstance()));
