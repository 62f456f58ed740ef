import { machineEgressInstance } from '../../src/adapters/egress/egress-instance.ts';
import { dependencies } from './dependencies.ts';
import { createHandler } from './handler.ts';

export const handler = createHandler(dependencies(process.env, machineEgressInstance()));
