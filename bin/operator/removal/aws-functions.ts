import {
  DeleteFunctionCommand,
  DeleteLayerVersionCommand,
  DeleteProvisionedConcurrencyConfigCommand,
  GetProvisionedConcurrencyConfigCommand,
  LambdaClient,
  paginateListFunctions,
  paginateListLayerVersions,
} from '@aws-sdk/client-lambda';
import { type ClientSettings, unless } from './aws-call.ts';

/** The alias under which the service invokes a reactor. */
const LIVE = 'live';

export function lambdaCalls(settings: ClientSettings) {
  const client = new LambdaClient(settings);
  return {
    functionNames: async () => {
      const names: string[] = [];
      for await (const page of paginateListFunctions({ client }, {}))
        names.push(...(page.Functions ?? []).flatMap(({ FunctionName }) => FunctionName ?? []));
      return names;
    },
    provisioned: async (FunctionName: string) => {
      const absent = ['ProvisionedConcurrencyConfigNotFoundException', 'ResourceNotFoundException'];
      const command = new GetProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier: LIVE });
      const found = await unless(absent, client.send(command));
      return found?.RequestedProvisionedConcurrentExecutions ?? 0;
    },
    endProvisioned: async (FunctionName: string) => {
      const command = new DeleteProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier: LIVE });
      await unless(['ResourceConflictException', 'ResourceNotFoundException'], client.send(command));
    },
    deleteFunction: async (FunctionName: string) => {
      const call = client.send(new DeleteFunctionCommand({ FunctionName })).then(() => true);
      try {
        return (await unless(['ResourceConflictException'], call)) === true;
      } catch (error) {
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return true;
        throw error;
      }
    },
    layerVersions: async (LayerName: string) => {
      const versions: number[] = [];
      for await (const page of paginateListLayerVersions({ client }, { LayerName }))
        versions.push(...(page.LayerVersions ?? []).flatMap(({ Version }) => Version ?? []));
      return versions;
    },
    deleteLayerVersion: async (LayerName: string, VersionNumber: number) => {
      await client.send(new DeleteLayerVersionCommand({ LayerName, VersionNumber }));
    },
  };
}
