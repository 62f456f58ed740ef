import {
  CreateAliasCommand,
  CreateFunctionCommand,
  type FunctionConfiguration,
  ResourceConflictException,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import type { Image, LayerVersion } from '../../core/reactors/layer.ts';
import type {
  ReactorArchive,
  ReactorFunctions,
  ReactorToMake,
} from '../../core/reactors/reactor-functions.ts';
import type { MadeVersion } from '../../core/reactors/reactor.ts';
import type { Lambda } from './lambda.ts';
import { BUSY, retryControlPlane } from './retry-control-plane.ts';
import { reactorCreation } from './reactor-creation.ts';
import { LIVE, reactorFunctionName } from './reactor-function-name.ts';
import { functionOf, isOf, ready, tagsOf, useTags, type DeploymentTags } from './reactor-function.ts';
import { createReactorRepairs, type ReactorRepairSettings } from './reactor-repairs.ts';

export interface ReactorFunctionSettings extends ReactorRepairSettings {
  /** The role that all reactors share, which has no permissions. */
  readonly roleArn: string;
  /** The layers that new versions of functions get, by their image. */
  readonly layers: Readonly<Record<Image, LayerVersion>>;
  readonly architecture: 'arm64' | 'x86_64';
  /** The key that encrypts the code in Lambda. */
  readonly codeKeyArn: string;
  /** Every function has these tags, besides those that name its reactor. */
  readonly tags: DeploymentTags;
}

/**
 * The parameters are known to be valid, so this error means that IAM has not propagated the new
 * role yet.
 */
const ROLE_TOO_NEW = ['InvalidParameterValueException'];

/**
 * Loads the library with the first archive: it builds tables and opens `worker_threads`, which
 * would delay every start.
 */
async function archiveOf(content: ReactorArchive): Promise<Uint8Array> {
  const { codeArchive } = await import('./code-archive.ts');
  return codeArchive(content);
}

/**
 * Creates something new; `undefined` if it exists. Names are unique, so an earlier attempt created
 * it and its response was lost.
 */
async function unlessThere<T>(
  { platform }: Lambda,
  call: () => Promise<T>,
  also: readonly string[] = [],
): Promise<T | undefined> {
  try {
    return await retryControlPlane(platform, call, also);
  } catch (error) {
    if (error instanceof ResourceConflictException) return undefined;
    throw error;
  }
}

/** Every call that makes a version needs this. */
interface FunctionContext extends Lambda {
  readonly settings: ReactorFunctionSettings;
}

const nameOf = ({ settings }: FunctionContext, reactorId: string) =>
  reactorFunctionName(settings.namePrefix, reactorId);

async function published(
  context: FunctionContext,
  name: string,
  version: string | undefined,
): Promise<string> {
  if (version === undefined) throw new Error('reactor functions: Lambda named no version');
  await ready(context, name, version);
  return version;
}

/** A version, and the layer that it was made on. */
const madeOn = ({ arn: _, ...layer }: LayerVersion, functionVersion: string): MadeVersion => ({
  functionVersion,
  layer,
});

const hasLayer = ({ arn }: LayerVersion, { Layers: layers = [] }: FunctionConfiguration): boolean =>
  layers.length === 1 && layers[0]?.Arn === arn;

/**
 * A function has the layer that it was created with until its code is published again. Another
 * image is another layer.
 */
async function useLayer(
  { client, platform, ...context }: FunctionContext,
  name: string,
  layer: LayerVersion,
  found: FunctionConfiguration,
): Promise<void> {
  if (hasLayer(layer, found)) return;
  const command = new UpdateFunctionConfigurationCommand({ FunctionName: name, Layers: [layer.arn] });
  await retryControlPlane(platform, () => client.send(command), BUSY);
  await ready({ client, platform, ...context }, name, '$LATEST');
}

/** Publishes code for an existing function, and returns the version. */
async function publishCode(context: FunctionContext, name: string, archive: Uint8Array): Promise<string> {
  const { settings, client, platform } = context;
  const command = new UpdateFunctionCodeCommand({
    FunctionName: name,
    ZipFile: archive,
    Architectures: [settings.architecture],
    SourceKMSKeyArn: settings.codeKeyArn,
    Publish: true,
  });
  const updated = await retryControlPlane(platform, () => client.send(command), BUSY);
  return published(context, name, updated.Version);
}

/** Creates the function without the alias `live`, and returns the version. */
async function make(context: FunctionContext, reactor: ReactorToMake, archive: Uint8Array): Promise<string> {
  const { settings, client } = context;
  const name = nameOf(context, reactor.id);
  const command = new CreateFunctionCommand(
    reactorCreation({
      FunctionName: name,
      Architectures: [settings.architecture],
      Role: settings.roleArn,
      Layers: [settings.layers[reactor.image].arn],
      Tags: tagsOf(reactor, settings.tags),
      Code: { ZipFile: archive, SourceKMSKeyArn: settings.codeKeyArn },
    }),
  );
  const created = await unlessThere(context, () => client.send(command), ROLE_TOO_NEW);
  // An earlier attempt created it and its response was lost. For equal code Lambda returns the
  // existing version.
  return created === undefined
    ? publishCode(context, name, archive)
    : published(context, name, created.Version);
}

/**
 * Has one Lambda function for each reactor. The control plane allows 15 calls a second, so a new
 * function takes few: CreateFunction with Publish, CreateAlias and, to stay warm,
 * PutProvisionedConcurrencyConfig.
 */
export function createReactorFunctions(lambda: Lambda, settings: ReactorFunctionSettings): ReactorFunctions {
  const context = { ...lambda, settings };

  return {
    ...createReactorRepairs(lambda, settings),

    async create(reactor, content) {
      const name = nameOf(context, reactor.id);
      const version = await make(context, reactor, await archiveOf(content));
      const alias = { FunctionName: name, Name: LIVE, FunctionVersion: version };
      await unlessThere(context, () => lambda.client.send(new CreateAliasCommand(alias)));
      return madeOn(settings.layers[reactor.image], version);
    },

    async publish(reactor, content) {
      const name = nameOf(context, reactor.id);
      const archive = await archiveOf(content);
      const layer = settings.layers[reactor.image];
      const found = await functionOf(context, name);
      if (found?.Configuration === undefined) return madeOn(layer, await make(context, reactor, archive));
      if (!isOf(found, reactor)) throw new Error('reactor functions: the function is of another reactor');
      await useLayer(context, name, layer, found.Configuration);
      await useTags(lambda, found, settings.tags);
      return madeOn(layer, await publishCode(context, name, archive));
    },

    async isCurrent({ id, image }, version) {
      const found = (await functionOf(context, nameOf(context, id), LIVE))?.Configuration;
      if (found?.Version !== version || !hasLayer(settings.layers[image], found)) return false;
      // The layer contains the Node.js of one architecture, so both change together.
      return found.Architectures?.[0] === settings.architecture;
    },
  };
}
