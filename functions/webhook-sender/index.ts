import { deliver } from '../../core/webhooks/deliver.ts';
import { invocationMessages } from '../../http/invocation-messages.ts';
import { dependencies } from './dependencies.ts';

const deps = dependencies(process.env);

export const handler = invocationMessages('deliverResult', (id) => deliver(deps, id));
