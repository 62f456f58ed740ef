import type { ZodMiniType } from 'zod/mini';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { parseAt } from '../../../src/http/parse-input.ts';
import { createApplicationBody } from '../../../src/wire/application.ts';
import { createProxyBody } from '../../../src/wire/proxy.ts';
import { createReactorBody } from '../../../src/wire/reactor.ts';
import { FileProblemsError } from '../file/problems.ts';
import { partsOfAddress } from '../file/names.ts';
import { SOME_ID } from '../file/references.ts';
import { shownTarget, TargetError, type KeyTargets } from '../keys/key-targets.ts';
import { type Address, type Desired, type Kind, type Plan, type PlannedResource } from '../model.ts';
import { readSources, type SourcePlaces, type Values } from '../sources/read-sources.ts';
import { bodyOf } from './bodies.ts';

/** Everything that is read before the first write. */
export interface Prepared {
  readonly values: Values;
}

export interface PrepareDeps extends SourcePlaces {
  readonly targets: KeyTargets;
  /** How messages name the file. */
  readonly file: string;
}

const BODIES: Readonly<Record<Kind, ZodMiniType>> = {
  applications: createApplicationBody,
  proxies: createProxyBody,
  reactors: createReactorBody,
};

/** Whether the plan writes the members of a resource. */
export const isWritten = ({ action }: PlannedResource): boolean => action !== 'none' && action !== 'delete';

export const makesKey = (resource: PlannedResource): readonly PlannedResource['keys'][number][] =>
  resource.keys.filter(({ step }) => step === 'create' || step === 'replace');

/** The problems that the service would find in a request. */
function problemsOf(address: Address, body: JsonObject): readonly string[] {
  try {
    parseAt(BODIES[partsOfAddress(address).kind], body, '', 'strict');
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return Object.entries(error.errors ?? {}).flatMap(([path, messages]) =>
      messages.map((message) => `${address}: ${path} ${message}`),
    );
  }
}

async function problemsOfTargets({ targets }: PrepareDeps, plan: Plan): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const resource of plan.resources)
    for (const { to } of makesKey(resource)) {
      if (to === undefined) continue;
      try {
        await targets.prove(to);
      } catch (error) {
        if (!(error instanceof TargetError)) throw error;
        problems.push(`${resource.address}: ${shownTarget(to)} ${error.message}`);
      }
    }
  return problems;
}

/**
 * Reads the sources, and finds what would fail, before the first write. Rejects with
 * {@link FileProblemsError}: nothing was done.
 */
export async function prepareApply(deps: PrepareDeps, desired: Desired, plan: Plan): Promise<Prepared> {
  const written = plan.resources.filter(isWritten).map(({ address }) => address);
  const { values, problems } = await readSources(desired, new Set(written), deps);
  const refused = [...problems];
  if (refused.length === 0)
    refused.push(
      ...written.flatMap((address) =>
        problemsOf(address, bodyOf(address, desired, { idOf: () => SOME_ID, values })),
      ),
    );
  // A secret of AWS is made for a key only if everything else is right.
  if (refused.length === 0) refused.push(...(await problemsOfTargets(deps, plan)));
  if (refused.length > 0) throw new FileProblemsError(deps.file, refused);
  return { values };
}
