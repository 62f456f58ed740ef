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

/** The function has reserved instances, and fewer of them than it is to run. */
const OWN_RESERVATION = /reservedConcurrentExecution for function/i;

/**
 * Why Lambda did not do it. What one function alone causes must not look like the account's. Throws
 * any other error.
 */
function reasonOf(error: unknown): 'busy' | 'skipped' {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!(cause instanceof Error)) throw error;
  if (BUSY.includes(cause.name)) return 'skipped';
  if (TRANSIENT.includes(cause.name)) return 'busy';
  throw error;
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
        if (error instanceof InvalidParameterValueException)
          return OWN_RESERVATION.test(error.message) ? 'skipped' : 'refused';
        if (error instanceof ResourceNotFoundException) return 'gone';
        return reasonOf(error);
      }
    },

    async end(reactorId) {
      const command = new DeleteProvisionedConcurrencyConfigCommand(aliasOf(reactorId));
      try {
        await callDependency(() => client.send(command));
        return 'ended';
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return 'ended';
        return reasonOf(error);
      }
    },
  };
}
