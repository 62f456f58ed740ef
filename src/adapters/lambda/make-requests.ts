import { InvokeCommand } from '@aws-sdk/client-lambda';
import type { ReactorMaker } from '../../core/reactors/reactor-maker.ts';
import { callDependency } from '../aws/dependency-error.ts';
import type { LambdaCalls } from '../aws/clients.ts';

/** Asks the function that may make functions, and does not wait for it. */
export function createMakeRequests(client: LambdaCalls, functionName: string): ReactorMaker {
  return {
    async makeAgain({ tenantId, id }) {
      const command = new InvokeCommand({
        FunctionName: functionName,
        InvocationType: 'Event',
        Payload: Buffer.from(JSON.stringify({ make_again: { tenant_id: tenantId, reactor_id: id } })),
      });
      await callDependency(() => client.send(command));
    },
  };
}
