import {
  CreateAliasCommand,
  CreateFunctionCommand,
  type FunctionConfiguration,
  GetFunctionCommand,
  ResourceConflictException,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import type { ReactorFunctions } from '../../core/reactors/reactor-functions.ts';
import type { Secret } from '../../core/shared/secret.ts';
import { ServiceError } from '../../core/shared/service-error.ts';
import type { Lambda } from './lambda.ts';
import { BUSY, retryControlPlane } from './retry-control-plane.ts';
import { LIVE, reactorFunctionName } from './reactor-function-name.ts';
import { createReactorRepairs, unlessGone, type ReactorRepairSettings } from './reactor-repairs.ts';

export interface ReactorFunctionSettings extends ReactorRepairSettings {
  /** The role that all reactors share, which has no permissions. */
  readonly roleArn: string;
  /** The layer that contains Node.js 16 and the runtime. */
  readonly layerArn: string;
  readonly architecture: 'arm64' | 'x86_64';
  /** The key that encrypts the code in Lambda. */
  readonly codeKeyArn: string;
}

/**
 * The parameters are known to be valid, so this error means that IAM has not propagated the new
 * role yet.
 */
const ROLE_TOO_NEW = ['InvalidParameterValueException'];

export const REACTOR_MEMORY_MB = 512;
/**
 * Longer than the longest run (docs/contract.md#limits). The runtime enforces the run's own
 * deadline.
 */
const TIMEOUT_SECONDS = 225;

/** How long a function may take to become active, and the pause between checks, in ms. */
const READY_WITHIN_MS = 20_000;
const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1_000;

/**
 * Loads the library with the first archive: it builds tables and opens `worker_threads`, which
 * would delay every start.
 */
async function archiveOf(code: Secret<string>): Promise<Uint8Array> {
  const { codeArchive } = await import('./code-archive.ts');
  return codeArchive(code);
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

/** Every call of the control plane needs this. */
interface FunctionContext extends Lambda {
  readonly settings: ReactorFunctionSettings;
}

const nameOf = ({ settings }: FunctionContext, reactorId: string) =>
  reactorFunctionName(settings.namePrefix, reactorId);

/** Whether a version can be invoked. One without recent invocations is inactive. */
function isReady(found: FunctionConfiguration | undefined): boolean {
  const isActive = found?.State === 'Active' || found?.State === 'Inactive';
  return isActive && found.LastUpdateStatus !== 'InProgress';
}

/** Waits until a version is active. Throws if it cannot become active. */
async function ready({ client, platform }: FunctionContext, name: string, version: string): Promise<void> {
  const until = platform.clock() + READY_WITHIN_MS;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(LONGEST_LOOK_MS, pauseMs * 2)) {
    // GetFunction does not use up the control plane's 15 calls a second: its limit is separate.
    const command = new GetFunctionCommand({ FunctionName: name, Qualifier: version });
    const { Configuration: found } = await retryControlPlane(platform, () => client.send(command));
    if (isReady(found)) return;
    if (found?.State === 'Failed' || found?.LastUpdateStatus === 'Failed')
      throw new Error(`reactor functions: version ${version} failed: ${found.StateReasonCode ?? 'unknown'}`);
    if (platform.clock() > until)
      throw new ServiceError('dependency_unavailable', 'The function of the reactor does not become ready.', {
        headers: { 'Retry-After': '60' },
      });
    await platform.pause(pauseMs);
  }
}

async function published(
  context: FunctionContext,
  name: string,
  version: string | undefined,
): Promise<string> {
  if (version === undefined) throw new Error('reactor functions: Lambda named no version');
  await ready(context, name, version);
  return version;
}

/** The state of a function or one of its versions; `undefined` if it does not exist. */
async function configurationOf(
  { client, platform }: FunctionContext,
  name: string,
  qualifier?: string,
): Promise<FunctionConfiguration | undefined> {
  const command = new GetFunctionCommand({ FunctionName: name, Qualifier: qualifier });
  const response = await unlessGone(platform, () => client.send(command));
  return response?.Configuration;
}

const hasCurrentLayer = (
  { settings }: FunctionContext,
  { Layers: layers = [] }: FunctionConfiguration,
): boolean => layers.length === 1 && layers[0]?.Arn === settings.layerArn;

/** The layer contains the Node.js of one architecture, so both change together. */
const hasCurrentRuntime = (context: FunctionContext, found: FunctionConfiguration): boolean =>
  hasCurrentLayer(context, found) && found.Architectures?.[0] === context.settings.architecture;

/** A function has the layer that it was created with until its code is published again. */
async function useCurrentLayer(
  context: FunctionContext,
  name: string,
  found: FunctionConfiguration,
): Promise<void> {
  const { settings, client, platform } = context;
  if (hasCurrentLayer(context, found)) return;
  const command = new UpdateFunctionConfigurationCommand({
    FunctionName: name,
    Layers: [settings.layerArn],
  });
  await retryControlPlane(platform, () => client.send(command), BUSY);
  await ready(context, name, '$LATEST');
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
async function make(context: FunctionContext, name: string, archive: Uint8Array): Promise<string> {
  const { settings, client } = context;
  const command = new CreateFunctionCommand({
    FunctionName: name,
    Description: 'A reactor',
    Runtime: 'provided.al2023',
    Architectures: [settings.architecture],
    Handler: 'reactor.handler',
    Role: settings.roleArn,
    Layers: [settings.layerArn],
    Code: { ZipFile: archive, SourceKMSKeyArn: settings.codeKeyArn },
    MemorySize: REACTOR_MEMORY_MB,
    Timeout: TIMEOUT_SECONDS,
    Publish: true,
  });
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

    async create(reactorId: string, code: Secret<string>) {
      const name = nameOf(context, reactorId);
      const version = await make(context, name, await archiveOf(code));
      const alias = { FunctionName: name, Name: LIVE, FunctionVersion: version };
      await unlessThere(context, () => lambda.client.send(new CreateAliasCommand(alias)));
      return version;
    },

    async publish(reactorId, code) {
      const name = nameOf(context, reactorId);
      const archive = await archiveOf(code);
      const found = await configurationOf(context, name);
      if (found === undefined) return make(context, name, archive);
      await useCurrentLayer(context, name, found);
      return publishCode(context, name, archive);
    },

    async isCurrent(reactorId, version) {
      const found = await configurationOf(context, nameOf(context, reactorId), LIVE);
      return found?.Version === version && hasCurrentRuntime(context, found);
    },
  };
}
