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
import { BUSY, patiently } from './patiently.ts';
import { LIVE, reactorFunctionName } from './reactor-function-name.ts';

/** Runs a call to which something that is gone already is no failure; `undefined` then. */
export async function unlessGone<T>(
  call: () => Promise<T>,
  also: readonly string[] = [],
): Promise<T | undefined> {
  try {
    return await patiently(call, also);
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
    const page = await patiently(() => client.send(command));
    versions.push(...(page.Versions ?? []).flatMap(({ Version }) => Version ?? []));
    marker = page.NextMarker;
  } while (marker !== undefined && marker !== '');
  return versions;
}

/** What the functions of reactors have in common. */
export interface ReactorRepairSettings {
  readonly namePrefix: string;
  /** Instances of `live` that are kept running. */
  readonly hotConcurrency: number;
}

/** The Lambda functions of reactors, put in order. */
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
        await patiently(() => client.send(command), BUSY);
        return true;
      } catch (error) {
        // What is asked for is right otherwise: it would leave the account less than what must stay
        // unreserved (AWS).
        if (error instanceof InvalidParameterValueException) return false;
        throw error;
      }
    },

    async pointLive(reactorId, version) {
      const target = { FunctionName: nameOf(reactorId), Name: LIVE, FunctionVersion: version };
      if (await unlessGone(() => client.send(new UpdateAliasCommand(target)), BUSY)) return 'moved';
      // Whoever made the function may have died before its alias.
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
        // Instances that are kept running may stand in the way, or a call that goes on.
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
