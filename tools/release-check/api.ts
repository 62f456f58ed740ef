import { CheckFailure, expectThat, type ItemContext } from './item.ts';
import { aTenant } from './operator.ts';

/** A response of the API, with its body as text and, if it is JSON, parsed. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: any;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends a request with an API key, or without one. */
export async function request(
  { fetch, deployment }: ItemContext,
  key: string | undefined,
  method: string,
  path: string,
  {
    body,
    headers = {},
  }: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<ApiResponse> {
  const response = await fetch(`${deployment.apiUrl}${path}`, {
    method,
    headers: {
      ...(key !== undefined && { [deployment.keyHeader]: key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

/** What a response looks like in the report: never with a token or a key. */
export const shown = ({ status, body }: ApiResponse): string =>
  `${String(status)}${typeof body?.title === 'string' ? ` ${body.title as string}` : ''}`;

/** A tenant with an application that may do everything with its tokens. */
export async function anApplication(context: ItemContext) {
  const { id: tenantId, managementKey } = await aTenant(context);
  const permissions = ['create', 'read', 'update', 'delete', 'search', 'use'].map((name) => `token:${name}`);
  const made = await request(context, managementKey, 'POST', '/applications', {
    body: {
      name: 'release-check',
      type: 'private',
      rules: [{ priority: 1, container: '/', transform: 'reveal', permissions }],
    },
  });
  expectThat(made.status === 201, `POST /applications: ${shown(made)}`);
  return { tenantId, managementKey, key: made.body.key as string };
}

/** A reactor of a new tenant, and what changes and invokes it. It is deleted after the item. */
export async function aReactor(context: ItemContext, code: string) {
  const { managementKey, key } = await anApplication(context);
  const content = (text: string) => ({ name: 'release-check', code: text, configuration: {} });
  const made = await request(context, managementKey, 'POST', '/reactors', { body: content(code) });
  expectThat(made.status === 201, `POST /reactors: ${shown(made)}`);
  const path = `/reactors/${made.body.id as string}`;
  context.afterwards(async () => {
    const removed = await request(context, managementKey, 'DELETE', path);
    if (![204, 404].includes(removed.status)) throw new CheckFailure(`DELETE ${path}: ${shown(removed)}`);
  });
  return {
    id: made.body.id as string,
    path,
    key,
    functionName: `${context.deployment.serviceName}-reactor-${made.body.id as string}`,
    put: (text: string) => request(context, managementKey, 'PUT', path, { body: content(text) }),
    react: (body: object = {}) => request(context, key, 'POST', `${path}/react`, { body }),
  };
}

/** Code that returns a number. */
export const returning = (value: number): string => `module.exports = () => ({ raw: ${String(value)} })`;
