import { z } from 'zod';
import { credentials } from './credentials-of-run.ts';
import { httpClient, send, strictClient, type CallOptions } from './http-client.ts';
import { operatorOf } from './operator.ts';
import { ALL_TOKEN_PERMISSIONS, revealing } from './sample-requests.ts';

export { credentials };
export type { ApiResponse as Answer, Body, CallOptions, HttpClient } from './http-client.ts';
export { ALL_TOKEN_PERMISSIONS, CARD, revealing } from './sample-requests.ts';

/** Sends one request to the shared service. */
export const call = (key: string | undefined, method: string, path: string, options?: CallOptions) =>
  send(credentials.base_url, key, method, path, options);

/** The client calls the shared service. */
export const client = (key: string | undefined) => httpClient(credentials.base_url, key);

/** Calls the shared service as the management application of its tenant. */
export const management = client(credentials.management_key);

/** Creates an application, and a client that uses its key. */
export async function anApplication(
  grants: { type?: string; permissions?: string[]; rules?: unknown[]; [more: string]: unknown } = {},
) {
  const wanted = {
    name: 'test',
    type: 'private',
    ...(grants.rules ? {} : { permissions: ALL_TOKEN_PERMISSIONS }),
    ...grants,
  };
  const manage = strictClient(credentials.base_url, credentials.management_key);
  const application = z.object({ id: z.string(), key: z.string() });
  const { id, key } = application.parse(await manage('POST', '/applications', wanted));
  return { id, key, ...client(key) };
}

/** An application that sees everything. */
export const aRevealingApplication = () => anApplication({ rules: [revealing()] });

/** Runs an operator command on the shared local account. */
export async function operator(
  command: Readonly<Record<string, string | boolean>>,
): Promise<Record<string, string>> {
  return (await operatorOf(credentials, command)) as Record<string, string>;
}
