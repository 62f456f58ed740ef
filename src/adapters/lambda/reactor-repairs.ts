import {
  CreateAliasCommand,
  DeleteFunctionCommand,
  DeleteProvisionedConcurrencyConfigCommand,
  ListVersionsByFunctionCommand,
  ResourceConflictException,
  ResourceNotFoundException,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import type { ReactorRepairs } from '../../core/reactors/reactor-functions.ts';
import type { Platform } from '../../core/shared/platform.ts';
import type { Lambda } from './lambda.ts';
import { BUSY, retryControlPlane } from './retry-control-plane.ts';
import { LIVE, reactorFunctionName } from './reactor-function-name.ts';

/** Runs a call, and returns `undefined` if its resource is deleted. */
export async function unlessGone<T>(
  platform: Platform,
  call: () => Promise<T>,
  also: readonly string[] = [],
): Promise<T | undefined> {
  try {
    return await retryControlPlane(platform, call, also);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function versionsOf({ client, platform }: Lambda, name: string): Promise<readonly string[]> {
  const versions: string[] = [];
  let marker: string | undefined;
  do {
    const command: ListVersionsByFunctionCommand = new ListVersionsByFunctionCommand({
      FunctionName: name,
      ...(marker === undefined ? {} : { Marker: marker }),
    });
    const page = await retryControlPlane(platform, () => client.send(command));
    versions.push(...(page.Versions ?? []).flatMap(({ Version }) => Version ?? []));
    marker = page.NextMarker;
  } while (marker !== undefined && marker !== '');
  return versions;
}

export interface ReactorRepairSettings {
  readonly namePrefix: string;
}

/** Repairs the Lambda functions of reactors. */
export function createReactorRepairs(lambda: Lambda, { namePrefix }: ReactorRepairSettings): ReactorRepairs {
  const { client, platform } = lambda;
  const nameOf = (reactorId: string) => reactorFunctionName(namePrefix, reactorId);

  return {
    async pointLive(reactorId, version) {
      const target = { FunctionName: nameOf(reactorId), Name: LIVE, FunctionVersion: version };
      if (await unlessGone(platform, () => client.send(new UpdateAliasCommand(target)), BUSY)) return 'moved';
      // The creator of the function may have died before it created the alias.
      return (await unlessGone(platform, () => client.send(new CreateAliasCommand(target)), BUSY))
        ? 'made'
        : 'gone';
    },

    async removeOtherVersions(reactorId, version) {
      const name = nameOf(reactorId);
      const others = (await versionsOf(lambda, name)).filter(
        (other) => other !== '$LATEST' && other !== version,
      );
      for (const other of others)
        await unlessGone(
          platform,
          () => client.send(new DeleteFunctionCommand({ FunctionName: name, Qualifier: other })),
          BUSY,
        );
    },

    async remove(reactorId) {
      const name = nameOf(reactorId);
      const remove = (also: readonly string[] = []) =>
        unlessGone(platform, () => client.send(new DeleteFunctionCommand({ FunctionName: name })), also);
      try {
        await remove();
      } catch (error) {
        if (!(error instanceof ResourceConflictException)) throw error;
        // Provisioned instances, or a running call, may prevent the deletion.
        const command = new DeleteProvisionedConcurrencyConfigCommand({
          FunctionName: name,
          Qualifier: LIVE,
        });
        await unlessGone(platform, () => client.send(command), BUSY);
        await remove(BUSY);
      }
    },
  };
}
