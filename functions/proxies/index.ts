import { machineInstance } from '../../src/adapters/instance.ts';
import { createApiHandler } from '../../src/http/create-api-handler.ts';
import { dependencies } from './dependencies.ts';
import { routes } from './routes.ts';

export const handler = createApiHandler(dependencies(process.env, machineInstance()), routes);
