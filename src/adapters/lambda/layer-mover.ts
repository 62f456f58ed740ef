import {
  InvalidParameterValueException,
  InvokeCommand,
  PublishVersionCommand,
  UpdateAliasCommand,
  UpdateFunctionConfigurationCommand,
  type GetFunctionCommandOutput,
} from '@aws-sdk/client-lambda';
import * as z from 'zod/mini';
import type { LayerVersion } from '../../core/reactors/layer.ts';
import type { StayReason } from '../../core/reactors/reactor.ts';
import type { LayerMover, VersionInForce } from '../../core/republish/layer-mover.ts';
import { ownCodeHash, ownFunctionName } from '../../core/republish/own-function.ts';
import { parseJson } from '../../core/shared/parse-json.ts';
import { ServiceError } from '../../core/shared/service-error.ts';
import type { LambdaCalls } from '../aws/clients.ts';
import { callDependency } from '../aws/dependency-error.ts';
import type { Lambda } from './lambda.ts';
import { functionOf, isOf, ready, useTags, type DeploymentTags } from './reactor-function.ts';
import { LIVE, reactorFunctionName } from './reactor-function-name.ts';
import { unlessGone } from './reactor-repairs.ts';
import { BUSY, retryControlPlane } from './retry-control-plane.ts';

export interface LayerMoverSettings {
  readonly namePrefix: string;
  readonly architecture: 'arm64' | 'x86_64';
  /** A function that moves gets these. */
  readonly tags: DeploymentTags;
}

/** Every call of the control plane needs this. */
interface Context extends Lambda {
  readonly settings: LayerMoverSettings;
  /** For the calls that count against the 15 a second. Its rate is bounded. */
  readonly control: LambdaCalls;
}

async function setLayer(context: Context, name: string, layer: LayerVersion): Promise<void> {
  const command = new UpdateFunctionConfigurationCommand({ FunctionName: name, Layers: [layer.arn] });
  await retryControlPlane(context.platform, () => context.control.send(command), BUSY);
  await ready(context, name, '$LATEST');
}

const codeOf = ({ Configuration: found }: GetFunctionCommandOutput): string | undefined => found?.CodeSha256;

/** The reason not to touch a function, or the function with the hash of its archive. */
async function inspected(
  context: Context,
  name: string,
  inForce: VersionInForce,
): Promise<StayReason | { readonly archive: string; readonly latest: GetFunctionCommandOutput }> {
  const [latest, current] = await Promise.all([
    functionOf(context, name),
    functionOf(context, name, inForce.functionVersion),
  ]);
  if (latest === undefined || current === undefined) return 'gone';
  if (!isOf(latest, inForce)) return 'foreign';
  if (latest.Configuration?.Architectures?.[0] !== context.settings.architecture) return 'architecture';
  const archive = codeOf(current);
  return archive === undefined || archive !== codeOf(latest) ? 'changed' : { archive, latest };
}

async function publish(
  context: Context,
  inForce: VersionInForce,
  layer: LayerVersion,
): Promise<{ readonly functionVersion: string } | StayReason> {
  const name = reactorFunctionName(context.settings.namePrefix, inForce.id);
  const found = await inspected(context, name, inForce);
  if (typeof found === 'string') return found;
  await setLayer(context, name, layer);
  await useTags({ ...context, client: context.control }, found.latest, context.settings.tags);
  const command = new PublishVersionCommand({ FunctionName: name, CodeSha256: found.archive });
  try {
    const { Version: functionVersion } = await retryControlPlane(
      context.platform,
      () => context.control.send(command),
      BUSY,
    );
    if (functionVersion === undefined) throw new Error('layer mover: Lambda named no version');
    await ready(context, name, functionVersion);
    return { functionVersion };
  } catch (error) {
    // All other parameters are valid: the latest code is not that of the version in force.
    if (error instanceof InvalidParameterValueException) return 'changed';
    throw error;
  }
}

const probeResponse = z.lazy(() => z.object({ outcome: z.enum(['loaded', 'not_loaded', 'stale']) }));

/** The answer of the runtime. It may have died, or be of a version that knows no probes. */
function parsedProbe(payload: Uint8Array = new Uint8Array()): 'loaded' | 'not_loaded' | 'stale' {
  try {
    return probeResponse.parse(parseJson(Buffer.from(payload).toString())).outcome;
  } catch {
    return 'not_loaded';
  }
}

/** Errors of Lambda that are about the version, and not about the moment. */
const BROKEN = ['InvalidRuntimeException', 'InvalidZipFileException', 'ResourceNotFoundException'];

const nameOf = (error: unknown): string => {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof Error ? cause.name : '';
};

async function probe(
  { client, platform }: Lambda,
  FunctionName: string,
  Qualifier: string,
  codeHash: string,
): Promise<'loaded' | 'not_loaded' | 'stale'> {
  const event = { version: 1, code_sha256: codeHash, probe: true };
  const command = new InvokeCommand({ FunctionName, Qualifier, Payload: Buffer.from(JSON.stringify(event)) });
  try {
    const call = () => callDependency(() => client.send(command));
    const { FunctionError: failed, Payload } = await retryControlPlane(platform, call, BUSY);
    return failed === undefined ? parsedProbe(Payload) : 'not_loaded';
  } catch (error) {
    if (BROKEN.includes(nameOf(error))) return 'not_loaded';
    throw error;
  }
}

/**
 * Moves functions by the calls of Lambda that need no code. `control` is the client for the calls
 * that count against the 15 a second of the account.
 */
export function createLayerMover(
  lambda: Lambda,
  settings: LayerMoverSettings,
  control: LambdaCalls,
): LayerMover {
  const context = { ...lambda, settings, control };
  const { platform } = lambda;
  const { namePrefix } = settings;

  return {
    async prove(layer) {
      const name = ownFunctionName(namePrefix, layer.image);
      await setLayer(context, name, layer);
      return (await probe(context, name, '$LATEST', ownCodeHash(layer.image))) === 'loaded';
    },

    publish: (inForce, layer) => publish(context, inForce, layer),

    async pointLive(reactorId, functionVersion) {
      const target = {
        FunctionName: reactorFunctionName(namePrefix, reactorId),
        Name: LIVE,
        FunctionVersion: functionVersion,
      };
      const moved = await unlessGone(platform, () => control.send(new UpdateAliasCommand(target)), BUSY);
      return moved === undefined ? 'gone' : 'moved';
    },

    probe: ({ id, functionVersion, codeHash }) =>
      probe(context, reactorFunctionName(namePrefix, id), functionVersion, codeHash),
  };
}
