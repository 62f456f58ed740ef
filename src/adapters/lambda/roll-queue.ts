import { InvokeCommand } from '@aws-sdk/client-lambda';
import type { RollQueue } from '../../core/republish/roll.ts';
import { callDependency } from '../aws/dependency-error.ts';
import type { LambdaCalls } from '../aws/clients.ts';

/**
 * The queue that Lambda has for events of a function. It costs nothing while no roll is under way,
 * and repeats an event twice whose worker died.
 */
export function createRollQueue(client: LambdaCalls, functionName: string): RollQueue {
  return {
    async send(image) {
      const command = new InvokeCommand({
        FunctionName: functionName,
        InvocationType: 'Event',
        Payload: Buffer.from(JSON.stringify({ image })),
      });
      await callDependency(() => client.send(command));
    },
  };
}
