import { machineEgressInstance } from '../../src/adapters/egress/egress-instance.ts';
import { createHandler } from './create-handler.ts';
import { dependencies } from './dependencies.ts';

export const handler = createHandler(dependencies(process.env, machineEgressInstance()));
