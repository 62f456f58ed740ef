import { deliver } from '../../src/core/webhooks/deliver.ts';
import { invocationMessages } from '../../src/lambda/invocation-messages.ts';
import { dependencies } from './dependencies.ts';

const deps = dependencies(process.env);

export const handler = invocationMessages('deliverResult', (id) => deliver(deps, id));
