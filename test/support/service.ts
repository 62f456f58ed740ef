import { z } from 'zod';
import type { Credentials } from './credentials.ts';
import { httpClient, send, strictClient, type CallOptions, type HttpClient } from './http-client.ts';
import type { TestDestination } from './destination.ts';
import { needing } from './needing.ts';
import { operatorOf } from './operator.ts';
import { ALL_TOKEN_PERMISSIONS, revealing } from './sample-requests.ts';
import { target, type Target } from './targets/target.ts';

export type { ApiResponse as Answer, Body, CallOptions, HttpClient } from './http-client.ts';
export { ALL_TOKEN_PERMISSIONS, CARD, revealing } from './sample-requests.ts';

/**
 * The credentials are read at each use, because suites of several targets share this module. Only
 * those of a local service have an account of AWS.
 */
export const credentials = new Proxy({} as Credentials, {
  get: (_, name) => Reflect.get(target().credentials, name) as unknown,
});

/** Sends one request to the service of the suite. */
export const call = (key: string | undefined, method: string, path: string, options?: CallOptions) =>
  send(credentials.base_url, key, method, path, options);

/** The client calls the service of the suite. */
export const client = (key: string | undefined) => httpClient(credentials.base_url, key);

/** Calls the service of the suite as the management application of its tenant. */
export const management = new Proxy({} as HttpClient, {
  get: (_, name) => Reflect.get(client(credentials.management_key), name) as unknown,
});

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

/** A target may lack these, in the words of `npm run contract`. */
const NEEDS = {
  allowsPackages: 'the setting reactorPackages=allowed',
  createTenant: 'a tenant of its own',
  openDestination: 'a destination',
  openApart: 'a clock that tests move',
} as const;

type Need = keyof typeof NEEDS;

/** Returns the title of tests that are skipped for want of something, with the reason in it. */
function without(need: Need, title: string): string {
  if (need === 'openDestination' && target().name === 'local') needing('openssl');
  return `${title} [needs ${NEEDS[need]}]`;
}

/** Tests that need something of the target; skipped where it has none. */
export function describeNeeding(need: Need, title: string, define: () => void): void {
  if (target()[need] === undefined) describe.skip(without(need, title), define);
  else describe(title, define);
}

/** A test that needs a tenant of its own; skipped where the suite can create none. */
export function withTenants(
  title: string,
  run: (createTenant: NonNullable<Target['createTenant']>) => Promise<void>,
): void {
  const { createTenant } = target();
  if (createTenant === undefined) it.skip(without('createTenant', title), () => undefined);
  else it(title, () => run(createTenant));
}

const opened = <T>(promise: Promise<T> | undefined): Promise<T> =>
  promise ?? Promise.reject(new Error('the target has none: use describeNeeding'));

/** A server that the service reaches, until the suite ends. */
export const openDestination = (): Promise<TestDestination> => opened(target().openDestination?.());

/** A service apart, whose clock the suite moves. The suite closes it. */
export const openApart = (): Promise<Target> => opened(target().openApart?.());

/** Runs an operator command on the shared local account. */
export async function operator(
  command: Readonly<Record<string, string | boolean>>,
): Promise<Record<string, string>> {
  return (await operatorOf(credentials, command)) as Record<string, string>;
}
