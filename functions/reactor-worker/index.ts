import { runInvocation } from '../../src/core/reactors/run-invocation.ts';
import { invocationMessages } from '../../src/lambda/invocation-messages.ts';
import { dependencies } from './dependencies.ts';

const deps = dependencies(process.env);

export const handler = invocationMessages('runInvocation', (id) => runInvocation(deps, id));
