import { z } from 'zod';
import type { Client } from '../../packages/sdk/src/index.ts';
import { CONDITION_ATTRIBUTES, CONDITION_OPERATORS, TRANSFORMS } from '../../src/core/access/access-rule.ts';
import { PERMISSION_NAMES } from '../../src/core/access/permission.ts';
import type { JsonObject } from '../../src/core/shared/json.ts';
import { parseIsoTimestamp } from '../../src/core/shared/timestamp.ts';
import { lineOf } from '../command-line/service-call.ts';
import { CallFailed, type ExportedToken, type ExportService, type Self } from './service.ts';

const PAGE_SIZE = 100;

// A member that this command does not know may restrict a rule, so it is refused.
const grants = z.object({
  permissions: z.array(z.enum(PERMISSION_NAMES)),
  rules: z.array(
    z.strictObject({
      description: z.exactOptional(z.string()),
      priority: z.number(),
      container: z.exactOptional(z.string()),
      conditions: z.exactOptional(
        z.array(
          z.strictObject({
            attribute: z.enum(CONDITION_ATTRIBUTES),
            operator: z.enum(CONDITION_OPERATORS),
            value: z.string(),
          }),
        ),
      ),
      transform: z.enum(TRANSFORMS),
      permissions: z.array(z.enum(PERMISSION_NAMES)),
      through: z.exactOptional(
        z.strictObject({
          proxies: z.array(z.string()),
          reactors: z.array(z.string()),
          callbacks: z.exactOptional(z.array(z.string())),
        }),
      ),
    }),
  ),
});

const UNREADABLE =
  'the service sent something that this command does not know: it is newer than this command';

function selfOf(application: {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
}): Self {
  const { data } = grants.safeParse(application);
  if (data === undefined) throw new CallFailed(200, UNREADABLE);
  const { id, tenant_id: tenantId, name } = application;
  return { id, tenantId, name, grants: data };
}

const judged = z.object({
  id: z.string().min(1),
  type: z.string().min(1),
  containers: z.array(z.string()),
  created_at: z.string(),
});

function tokenOf(response: object): ExportedToken {
  const { data } = judged.safeParse(response);
  const createdAt = parseIsoTimestamp(data?.created_at ?? '')?.at;
  if (data === undefined || createdAt === undefined) throw new CallFailed(200, UNREADABLE);
  const { id, type, containers } = data;
  return { id, type, containers, createdAt, body: response as JsonObject };
}

/** Explains a failed call without anything of its request. */
async function explained(error: unknown): Promise<unknown> {
  const { ApiError, ConnectionError } = await import('../../packages/sdk/src/index.ts');
  if (error instanceof ApiError) return new CallFailed(error.status, lineOf(error));
  if (error instanceof ConnectionError) return new CallFailed(0, error.message);
  return error;
}

async function explaining<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw await explained(error);
  }
}

/** Reaches the service by a client of the SDK. */
export function sdkService({ applications, tokens }: Client): ExportService {
  return {
    self: () => explaining(async () => selfOf(await applications.retrieveByKey())),
    count: (filter) =>
      explaining(async () => {
        const { pagination } = await tokens.list({ ...filter, size: 1 }, { transform: 'redact' });
        const { total_items: items = 0, total_is_lower_bound: isLowerBound = false } = pagination;
        return { tokens: items, isLowerBound };
      }),
    page: (filter, after) =>
      explaining(async () => {
        const { data, pagination } = await tokens.list({
          ...filter,
          size: PAGE_SIZE,
          ...(after !== null && { after }),
        });
        return { tokens: data.map(tokenOf), after: pagination.after };
      }),
    token: async (id) => {
      try {
        return await explaining(async () => tokenOf(await tokens.retrieve(id)));
      } catch (error) {
        if (error instanceof CallFailed && error.status === 404) return undefined;
        throw error;
      }
    },
  };
}
