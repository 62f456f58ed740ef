import {
  CreateAliasCommand,
  DeleteFunctionCommand,
  DeleteProvisionedConcurrencyConfigCommand,
  InvalidParameterValueException,
  ListVersionsByFunctionCommand,
  PutProvisionedConcurrencyConfigCommand,
  ResourceConflictException,
  ResourceNotFoundException,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import type { LambdaCalls } from '../aws/clients.ts';
import type { ReactorRepairs } from '../../core/reactors/reactor-functions.ts';
import { BUSY, retryControlPlane } from './retry-control-plane.ts';
import { LIVE, reactorFunctionName } from './reactor-function-name.ts';

/** Runs a call, and returns `undefined` if its resource is deleted. */
export async function unlessGone<T>(
  call: () => Promise<T>,
  also: readonly string[] = [],
): Promise<T | undefined> {
  try {
    return await retryControlPlane(call, also);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function versionsOf(client: LambdaCalls, name: string): Promise<readonly string[]> {
  const versions: string[] = [];
  let marker: string | undefined;
  do {
    const command: ListVersionsByFunctionCommand = new ListVersionsByFunctionCommand({
      FunctionName: name,
      ...(marker === undefined ? {} : { Marker: marker }),
    });
    const page = await retryControlPlane(() => client.send(command));
    versions.push(...(page.Versions ?? []).flatMap(({ Version }) => Version ?? []));
    marker = page.NextMarker;
  } while (marker !== undefined && marker !== '');
  return versions;
}

export interface ReactorRepairSettings {
  readonly namePrefix: string;
  /** The number of instances of `live` that are always running. */
  readonly hotConcurrency: number;
}

/** Repairs the Lambda functions of reactors. */
export function createReactorRepairs(
  client: LambdaCalls,
  { namePrefix, hotConcurrency }: ReactorRepairSettings,
): ReactorRepairs {
  const nameOf = (reactorId: string) => reactorFunctionName(namePrefix, reactorId);

  return {
    async keepHot(reactorId) {
      if (hotConcurrency === 0) return true;
      const command = new PutProvisionedConcurrencyConfigCommand({
        FunctionName: nameOf(reactorId),
        Qualifier: LIVE,
        ProvisionedConcurrentExecutions: hotConcurrency,
      });
      try {
        await retryControlPlane(() => client.send(command), BUSY);
        return true;
      } catch (error) {
        // All other parameters are valid, so the account would have less concurrency left than AWS
        // requires.
        if (error instanceof InvalidParameterValueException) return false;
        throw error;
      }
    },

    async pointLive(reactorId, version) {
      const target = { FunctionName: nameOf(reactorId), Name: LIVE, FunctionVersion: version };
      if (await unlessGone(() => client.send(new UpdateAliasCommand(target)), BUSY)) return 'moved';
      // The creator of the function may have died before it created the alias.
      return (await unlessGone(() => client.send(new CreateAliasCommand(target)), BUSY)) ? 'made' : 'gone';
    },

    async removeOtherVersions(reactorId, version) {
      const name = nameOf(reactorId);
      const others = (await versionsOf(client, name)).filter(
        (other) => other !== '$LATEST' && other !== version,
      );
      for (const other of others)
        await unlessGone(
          () => client.send(new DeleteFunctionCommand({ FunctionName: name, Qualifier: other })),
          BUSY,
        );
    },

    async remove(reactorId) {
      const name = nameOf(reactorId);
      const remove = (also: readonly string[] = []) =>
        unlessGone(() => client.send(new DeleteFunctionCommand({ FunctionName: name })), also);
      try {
        await remove();
      } catch (error) {
        if (!(error instanceof ResourceConflictException)) throw error;
        // Provisioned instances, or a running call, may prevent the deletion.
        const command = new DeleteProvisionedConcurrencyConfigCommand({
          FunctionName: name,
          Qualifier: LIVE,
        });
        await unlessGone(() => client.send(command), BUSY);
        await remove(BUSY);
      }
    },
  };
}
