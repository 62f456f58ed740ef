import { z } from 'zod';
import { parseJson } from '../../src/core/shared/parse-json.ts';
import { credentials } from './credentials-of-run.ts';

export { credentials };

/** JSON of a response, of any shape: tests say what they expect of it. */
export type Body = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is; `body` is sent as JSON. */
  readonly raw?: string | Uint8Array;
  readonly body?: unknown;
  readonly baseUrl?: string;
}

/** One request to the service. A `key` of `undefined` sends none. */
export async function call(
  key: string | undefined,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { raw, body, baseUrl = credentials.base_url } = options;
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'SVC-API-KEY': key }),
      ...(body === undefined ? {} : { 'Content-Type': type }),
      ...options.headers,
    },
    ...(content === undefined ? {} : { body: content as string }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? parseJson(text) : text,
  };
}

/** A client bound to one key. */
export function client(key: string | undefined) {
  return {
    get: (path: string, options?: CallOptions) => call(key, 'GET', path, options),
    post: (path: string, body?: unknown, options?: CallOptions) =>
      call(key, 'POST', path, { ...options, body }),
    put: (path: string, body?: unknown, options?: CallOptions) =>
      call(key, 'PUT', path, { ...options, body }),
    patch: (path: string, body?: unknown, options?: CallOptions) =>
      call(key, 'PATCH', path, { ...options, body }),
    delete: (path: string, options?: CallOptions) => call(key, 'DELETE', path, options),
  };
}

/** The management application of the shared tenant. */
export const management = client(credentials.management_key);

/** Every permission that a private application may hold. */
export const ALL_TOKEN_PERMISSIONS = [
  'token:create',
  'token:read',
  'token:update',
  'token:delete',
  'token:search',
  'token:use',
];

/** A new application with a client for it. */
export async function anApplication(
  grants: { type?: string; permissions?: string[]; rules?: unknown[]; [more: string]: unknown } = {},
) {
  const wanted = {
    name: 'test',
    type: 'private',
    ...(grants.rules ? {} : { permissions: ALL_TOKEN_PERMISSIONS }),
    ...grants,
  };
  const { status, body } = await management.post('/applications', wanted);
  if (status !== 201) throw new Error(`application: ${String(status)} ${JSON.stringify(body)}`);
  const { id, key } = z.object({ id: z.string(), key: z.string() }).parse(body);
  return { id, key, ...client(key) };
}

/** A rule that reveals everything below a container. */
export const revealing = (container = '/', permissions = ALL_TOKEN_PERMISSIONS) => ({
  priority: 1,
  container,
  transform: 'reveal',
  permissions,
});

/** An application that sees everything. */
export const aRevealingApplication = () => anApplication({ rules: [revealing()] });

/** A card that passes every check. */
export const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
