import {
  DeleteFunctionCommand,
  DeleteProvisionedConcurrencyConfigCommand,
  type LambdaClient,
  ListVersionsByFunctionCommand,
  ResourceConflictException,
  ResourceNotFoundException,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import type { ReactorRepairs } from '../../core/reactors/reactor-functions.ts';
import { patiently } from './patiently.ts';
import { LIVE, reactorFunctionName } from './reactor-function-name.ts';

/** Runs a call to which something that is gone already is no failure. */
async function unlessGone(call: () => Promise<unknown>): Promise<void> {
  try {
    await patiently(call);
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}

async function versionsOf(client: LambdaClient, name: string): Promise<readonly string[]> {
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

/** The Lambda functions of reactors, put in order. */
export function createReactorRepairs(client: LambdaClient, namePrefix: string): ReactorRepairs {
  const nameOf = (reactorId: string) => reactorFunctionName(namePrefix, reactorId);

  return {
    async pointLive(reactorId, version) {
      const target = { FunctionName: nameOf(reactorId), Name: LIVE, FunctionVersion: version };
      await patiently(() => client.send(new UpdateAliasCommand(target)));
    },

    async removeOtherVersions(reactorId, version) {
      const name = nameOf(reactorId);
      const others = (await versionsOf(client, name)).filter(
        (other) => other !== '$LATEST' && other !== version,
      );
      for (const other of others)
        await unlessGone(() =>
          client.send(new DeleteFunctionCommand({ FunctionName: name, Qualifier: other })),
        );
    },

    async remove(reactorId) {
      const name = nameOf(reactorId);
      const remove = () => unlessGone(() => client.send(new DeleteFunctionCommand({ FunctionName: name })));
      try {
        await remove();
      } catch (error) {
        if (!(error instanceof ResourceConflictException)) throw error;
        // Instances that are kept running may stand in the way.
        const command = new DeleteProvisionedConcurrencyConfigCommand({
          FunctionName: name,
          Qualifier: LIVE,
        });
        await unlessGone(() => client.send(command));
        await remove();
      }
    },
  };
}
