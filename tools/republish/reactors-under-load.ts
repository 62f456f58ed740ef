import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Image } from '../../src/core/reactors/layer.ts';
import type { Deployment } from '../upgrade/deployment.ts';

const created = z.object({ id: z.string() });
const applicationShape = z.object({ key: z.string() });

async function send(
  { baseUrl }: Pick<Deployment, 'baseUrl'>,
  key: string,
  path: string,
  body: unknown,
): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'SVC-API-KEY': key },
    body: JSON.stringify(body),
  });
}

/** A tenant that can make and call reactors. */
export interface Tenant {
  readonly managementKey: string;
  readonly privateKey: string;
}

export async function aTenant(deployment: Deployment, managementKey: string): Promise<Tenant> {
  const application = {
    name: 'Caller',
    type: 'private',
    permissions: ['token:use'],
    rules: [
      { description: 'all', priority: 1, container: '/', transform: 'reveal', permissions: ['token:use'] },
    ],
  };
  const response = await send(deployment, managementKey, '/applications', application);
  const { key } = applicationShape.parse(await response.json());
  return { managementKey, privateKey: key };
}

/** Makes reactors with this code, one after the other, and returns their ids. */
export async function makeReactors(
  deployment: Deployment,
  { managementKey }: Tenant,
  { code, image }: { readonly code: string; readonly image: Image },
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const response = await send(deployment, managementKey, '/reactors', {
      name: 'Rehearsal',
      code,
      configuration: {},
      runtime: { image },
    });
    if (response.status !== 201) throw new Error(`POST /reactors: ${await response.text()}`);
    ids.push(created.parse(await response.json()).id);
  }
  return ids;
}

/** Calls a reactor. Returns the status, or `no answer` while the account is down. */
export async function call(deployment: Deployment, { privateKey }: Tenant, id: string): Promise<string> {
  try {
    const response = await send(deployment, privateKey, `/reactors/${id}/react`, { args: {} });
    return String(response.status);
  } catch {
    return 'no answer';
  }
}

export interface Load {
  /** Ends it, and returns how often each status came. */
  stop(): Promise<ReadonlyMap<string, number>>;
}

/** Calls reactors in turn, some at a time, until it is stopped. */
export function startLoad(
  deployment: Deployment,
  targets: readonly { readonly tenant: Tenant; readonly id: string }[],
  atOnce = 4,
): Load {
  const counts = new Map<string, number>();
  let isOver = false;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (!isOver) {
      const target = targets[next++ % targets.length];
      if (target === undefined) return;
      const status = await call(deployment, target.tenant, target.id);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      await sleep(20);
    }
  };
  const workers = Array.from({ length: atOnce }, worker);
  return {
    async stop() {
      isOver = true;
      await Promise.all(workers);
      return counts;
    },
  };
}
