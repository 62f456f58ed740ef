import { z } from 'zod';
import type { CallDeployment } from './deployment.ts';

const schema = z.object({ id: z.string(), key: z.string(), created_at: z.string() });

export interface MadeApplication {
  readonly id: string;
  readonly key: string;
  readonly createdAt: string;
}

const LIFETIME_MS = 24 * 3_600_000;

/** Creates an application for one run. It expires, in case that nothing can delete it. */
export async function createApplication(call: CallDeployment, grants: object): Promise<MadeApplication> {
  const { status, body } = await call('POST', '/applications', {
    name: 'npm run contract',
    expires_at: new Date(Date.now() + LIFETIME_MS).toISOString(),
    ...grants,
  });
  if (status !== 201) throw new Error(`an application could not be created (${String(status)})`);
  const { id, key, created_at: createdAt } = schema.parse(body);
  return { id, key, createdAt };
}
