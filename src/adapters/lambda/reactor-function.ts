import {
  GetFunctionCommand,
  TagResourceCommand,
  type FunctionConfiguration,
  type GetFunctionCommandOutput,
} from '@aws-sdk/client-lambda';
import type { ReactorId } from '../../core/reactors/reactor-functions.ts';
import { ServiceError } from '../../core/shared/service-error.ts';
import type { Lambda } from './lambda.ts';
import { unlessGone } from './reactor-repairs.ts';
import { BUSY, retryControlPlane } from './retry-control-plane.ts';

/** How long a function may take to become active, and the pause between checks, in ms. */
const READY_WITHIN_MS = 20_000;
const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1_000;

const TENANT_TAG = 'cloakroom:tenant';
const REACTOR_TAG = 'cloakroom:reactor';

/** The tags of a deployment, by their names. */
export type DeploymentTags = Readonly<Record<string, string>>;

/**
 * The tags of a reactor's function, by which a bill or a search finds it. Those of the deployment
 * never have the names of these.
 */
export const tagsOf = ({ tenantId, id }: ReactorId, tags: DeploymentTags): Record<string, string> => ({
  ...tags,
  [TENANT_TAG]: tenantId,
  [REACTOR_TAG]: id,
});

/** Whether a function is that of a reactor, by its tags. No version may be published otherwise. */
export const isOf = ({ Tags: tags = {} }: GetFunctionCommandOutput, { tenantId, id }: ReactorId): boolean =>
  tags[TENANT_TAG] === tenantId && tags[REACTOR_TAG] === id;

/**
 * Gives a function the tags of the deployment that it lacks. One that the deployment no longer has
 * stays: another program may have set it.
 */
export async function useTags(
  { client, platform }: Pick<Lambda, 'client' | 'platform'>,
  { Configuration: found, Tags: current = {} }: GetFunctionCommandOutput,
  tags: DeploymentTags,
): Promise<void> {
  const missing = Object.entries(tags).filter(([name, value]) => current[name] !== value);
  if (found?.FunctionArn === undefined || missing.length === 0) return;
  const command = new TagResourceCommand({ Resource: found.FunctionArn, Tags: Object.fromEntries(missing) });
  await retryControlPlane(platform, () => client.send(command), BUSY);
}

/**
 * A function, or one of its versions; `undefined` if it does not exist. GetFunction does not use up
 * the control plane's 15 calls a second: its limit is separate.
 */
export function functionOf(
  { client, platform }: Lambda,
  name: string,
  qualifier?: string,
): Promise<GetFunctionCommandOutput | undefined> {
  const command = new GetFunctionCommand({ FunctionName: name, Qualifier: qualifier });
  return unlessGone(platform, () => client.send(command));
}

/** Whether a version can be invoked. One without recent invocations is inactive. */
function isReady(found: FunctionConfiguration | undefined): boolean {
  const isActive = found?.State === 'Active' || found?.State === 'Inactive';
  return isActive && found.LastUpdateStatus !== 'InProgress';
}

/** Waits until a version is active. Throws if it cannot become active. */
export async function ready({ client, platform }: Lambda, name: string, version: string): Promise<void> {
  const until = platform.clock() + READY_WITHIN_MS;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(LONGEST_LOOK_MS, pauseMs * 2)) {
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
