import {
  DeleteProvisionedConcurrencyConfigCommand,
  InvalidParameterValueException,
  PutProvisionedConcurrencyConfigCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import type { ReactorHeat } from '../../core/reactors/hot-places.ts';
import { ServiceError } from '../../core/shared/service-error.ts';
import { callDependency } from '../aws/dependency-error.ts';
import type { Lambda } from './lambda.ts';
import { BUSY, TRANSIENT } from './retry-control-plane.ts';
import { LIVE, reactorFunctionName } from './reactor-function-name.ts';

function isBusy(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof Error && [...TRANSIENT, ...BUSY].includes(cause.name);
}

/** Starts and ends provisioned instances. It repeats no call, so that it takes no other's turn. */
export function createReactorHeat({ client }: Lambda, namePrefix: string): ReactorHeat {
  const aliasOf = (reactorId: string) => ({
    FunctionName: reactorFunctionName(namePrefix, reactorId),
    Qualifier: LIVE,
  });

  return {
    async start(reactorId, instances) {
      const command = new PutProvisionedConcurrencyConfigCommand({
        ...aliasOf(reactorId),
        ProvisionedConcurrentExecutions: instances,
      });
      try {
        await callDependency(() => client.send(command));
        return 'started';
      } catch (error) {
        // All other parameters are valid, so the account would have less concurrency left than AWS
        // requires.
        if (error instanceof InvalidParameterValueException) return 'refused';
        if (error instanceof ResourceNotFoundException) return 'gone';
        if (isBusy(error)) return 'busy';
        throw error;
      }
    },

    async end(reactorId) {
      const command = new DeleteProvisionedConcurrencyConfigCommand(aliasOf(reactorId));
      try {
        await callDependency(() => client.send(command));
        return 'ended';
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return 'ended';
        if (isBusy(error)) return 'busy';
        throw error;
      }
    },
  };
}
