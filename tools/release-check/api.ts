import { z } from 'zod';
import { CheckFailure, expectThat, type ItemContext } from './item.ts';
import { aTenant } from './operator.ts';

/** The members of responses that the items look at. */
const apiBody = z
  .looseObject({
    id: z.string().optional(),
    key: z.string().optional(),
    raw: z.unknown(),
    title: z.string().optional(),
    detail: z.string().optional(),
  })
  .partial();

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Empty unless the body is a JSON object with these members. */
  readonly body: z.output<typeof apiBody>;
}

function parsed(text: string): ApiResponse['body'] {
  try {
    return apiBody.parse(JSON.parse(text));
  } catch {
    return {};
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
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

/** Shows a response in the report: never with a token or a key. */
export const shown = ({ status, body }: ApiResponse): string =>
  `${String(status)}${body.title === undefined ? '' : ` ${body.title}`}`;

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
  const { key } = made.body;
  expectThat(made.status === 201 && key !== undefined, `POST /applications: ${shown(made)}`);
  return { tenantId, managementKey, key };
}

/** A reactor of a new tenant, and what changes and invokes it. It is deleted after the item. */
export async function aReactor(context: ItemContext, code: string) {
  const { managementKey, key } = await anApplication(context);
  const content = (text: string) => ({ name: 'release-check', code: text, configuration: {} });
  const made = await request(context, managementKey, 'POST', '/reactors', { body: content(code) });
  const { id } = made.body;
  expectThat(made.status === 201 && id !== undefined, `POST /reactors: ${shown(made)}`);
  const path = `/reactors/${id}`;
  context.afterwards(async () => {
    const removed = await request(context, managementKey, 'DELETE', path);
    if (![204, 404].includes(removed.status)) throw new CheckFailure(`DELETE ${path}: ${shown(removed)}`);
  });
  return {
    path,
    key,
    functionName: `${context.deployment.serviceName}-reactor-${id}`,
    put: (text: string) => request(context, managementKey, 'PUT', path, { body: content(text) }),
    react: (body: object = {}) => request(context, key, 'POST', `${path}/react`, { body }),
  };
}

/** Code that returns a number. */
export const returning = (value: number): string => `module.exports = () => ({ raw: ${String(value)} })`;
