import * as z from 'zod/mini';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import { DESTINATION_MAX_LENGTH } from '../../src/core/egress/destination.ts';
import { KEY_MAX_LENGTH } from '../../src/http/idempotency.ts';
import type { AnyRoute } from './all-routes.ts';
import type { DescribedResponse, DescribedOperation, Example } from '../../src/wire/described-operation.ts';
import { applications } from '../../functions/applications/openapi.ts';
import { logs } from '../../functions/logs/openapi.ts';
import { proxy } from '../../functions/proxy/openapi.ts';
import { proxies } from '../../functions/proxies/openapi.ts';
import { reactors } from '../../functions/reactors/openapi.ts';
import { tokens } from '../../functions/tokens/openapi.ts';
import { nameRequests, type NamedRequests } from './name-requests.ts';
import { curlSample } from './curl-sample.ts';
import { describeMembers } from './describe-members.ts';
import { failure, failuresOf } from './failures.ts';
import { DESTINATION_STATUS, JSON_TYPE, reserved, TRACE } from './headers.ts';

/** The description of each operation, by its name in the route tables. */
export const OPERATIONS: Readonly<Record<string, DescribedOperation>> = {
  ...tokens,
  ...proxy,
  ...applications,
  ...proxies,
  ...reactors,
  ...logs,
};

const MERGE_PATCH_TYPE = 'application/merge-patch+json';
const text = { type: 'string' } as const;

function valuesOf(examples: Readonly<Record<string, Example>> | undefined) {
  return examples === undefined ? {} : { examples: { ...examples } };
}

function response({ description, schema, examples }: DescribedResponse): ZodOpenApiResponseObject {
  return {
    description,
    headers: { [reserved('trace-id')]: TRACE },
    ...(schema && { content: { [JSON_TYPE]: { schema, ...valuesOf(examples) } } }),
  };
}

const forwarded = ({ description }: DescribedResponse): ZodOpenApiResponseObject => ({
  description,
  headers: { [reserved('trace-id')]: TRACE, [reserved('proxy-destination-status')]: DESTINATION_STATUS },
  content: { '*/*': { schema: {} } },
});

const header = (name: string, description: string, more: object = {}) => ({
  in: 'header' as const,
  name,
  description,
  schema: text,
  ...more,
});

const TRANSFORM = header(
  reserved('transform'),
  'Shows no more than this of each token. Other operations refuse the header.',
  { schema: { type: 'string', enum: ['redact', 'mask'] } },
);

function requestHeaders(route: AnyRoute) {
  const trace = header(reserved('trace-id'), 'Your id of the request, 1 to 200 visible ASCII characters.');
  if (route.operation === 'proxy')
    return [
      trace,
      header(
        reserved('proxy-key'),
        'The key of a stored proxy. Each request has either this header or the next one.',
      ),
      header(reserved('proxy-url'), 'The destination: https, port 443, a DNS name, no expressions.', {
        schema: { type: 'string', format: 'uri', maxLength: DESTINATION_MAX_LENGTH },
        example: DESTINATION_EXAMPLE,
      }),
      header(reserved('proxy-keep-alive'), 'Becomes `Keep-Alive` of the outbound call.'),
      header(reserved('proxy-connection'), 'Becomes `Connection` of the outbound call.'),
    ];
  const own = route.takesTransform === true ? [trace, TRANSFORM] : [trace];
  if (!['POST', 'PUT', 'PATCH'].includes(route.method) || route.idempotency === 'none') return own;
  const preserved =
    route.idempotency === 'read_only'
      ? 'Checked; nothing is stored, since the operation is read-only.'
      : 'The first success is stored for 24 hours and replayed. The same key with another body is 422.';
  return [
    ...own,
    header(reserved('idempotency-key'), preserved, {
      schema: { type: 'string', minLength: 1, maxLength: KEY_MAX_LENGTH },
    }),
  ];
}

/** A request without a body counts as `{}`. */
function needsBody({ body, operation }: AnyRoute): boolean {
  if (OPERATIONS[operation]?.required !== undefined) return true;
  try {
    return body?.safeParse({}).success !== true;
  } catch {
    return true;
  }
}

function bodyOf(route: AnyRoute, described: DescribedOperation) {
  if (route.operation === 'proxy')
    return ['GET', 'DELETE'].includes(route.method)
      ? {}
      : { requestBody: { required: false, content: { '*/*': { schema: {} } } } };
  if (route.body === undefined) return {};
  const content = { schema: route.body, ...valuesOf(described.requests) };
  return {
    requestBody: {
      required: needsBody(route),
      content: { [mediaTypeOf(route)]: content },
    },
  };
}

const referTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const WEBHOOK = {
  summary: 'The result of an asynchronous invocation',
  description:
    'A POST to the `callback_url`, signed by the rules of Standard Webhooks with the webhook secret of the tenant. Any 2xx ends the delivery; otherwise it is tried ten times with pauses that double from 10 s.',
  parameters: [
    header('webhook-id', 'The id of the invocation. A result may be delivered twice under it.', {
      required: true,
    }),
    header('webhook-timestamp', 'When it was signed, in seconds since the epoch.', { required: true }),
    header(
      'webhook-signature',
      '`v1,` and an HMAC-SHA-256 of id, timestamp and body; one for each valid secret.',
      {
        required: true,
      },
    ),
  ],
  requestBody: {
    required: true,
    content: { [JSON_TYPE]: { schema: { anyOf: [referTo('ReactorResponse'), referTo('Problem')] } } },
  },
  responses: {
    '2XX': { description: 'Received: the delivery ends.' },
    '4XX': { description: 'The delivery is tried again.' },
    '5XX': { description: 'The delivery is tried again.' },
  },
};

const DESTINATION_EXAMPLE = 'https://api.processor.example.com/v1';

const mediaTypeOf = (route: AnyRoute): string => (route.mergePatch === true ? MERGE_PATCH_TYPE : JSON_TYPE);

/** How to call the operation from a shell, with the first of its examples. */
function curlOf(route: AnyRoute, described: DescribedOperation) {
  const [body] = route.body === undefined ? [] : Object.values(described.requests ?? {});
  const headers = {
    ...(route.operation === 'proxy' && { [reserved('proxy-url')]: DESTINATION_EXAMPLE }),
    ...(body && { 'Content-Type': mediaTypeOf(route) }),
  };
  return [{ lang: 'Shell', label: 'curl', source: curlSample(route, { headers, body }) }];
}

/** `proxy` is ten rows of the table, and every operation needs a unique id. */
function operationId({ operation, method, path }: AnyRoute): string {
  if (operation !== 'proxy') return operation;
  return `proxy${method.charAt(0)}${method.slice(1).toLowerCase()}${path.endsWith('+}') ? 'Path' : ''}`;
}

const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  id: '0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8',
  invocation_id: 'c0a5b7de-0c1f-4b7a-9d57-1de1a0f0b0a4',
  suffix: 'v1/charges',
};

function operation(route: AnyRoute): ZodOpenApiOperationObject {
  const described = OPERATIONS[route.operation];
  if (described === undefined) throw new Error(`openapi: ${route.operation} is not described`);
  const isProxy = route.operation === 'proxy';
  const pathParameters = [...route.path.matchAll(/\{([^}+]+)\+?\}/g)].map(([, name = '']) => ({
    in: 'path' as const,
    name,
    required: true,
    description: described.parameters?.[name] ?? '',
    schema: text,
    example: PATH_EXAMPLES[name],
  }));
  const failures = Object.entries(failuresOf(route, described)).map(
    ([status, description]) =>
      [status, failure(Number(status), description, isProxy ? 'proxyProblem' : 'problem')] as const,
  );
  const others = Object.entries(described.also ?? {}).map(
    ([status, also]) => [status, response(also)] as const,
  );
  const needs = route.permission === undefined ? '' : `Needs \`${route.permission}\`.`;
  return {
    operationId: operationId(route),
    tags: [described.tag],
    summary: described.summary,
    description: [described.description, needs].filter(Boolean).join('\n\n'),
    requestParams: described.query === undefined ? {} : { query: described.query },
    parameters: [...pathParameters, ...requestHeaders(route)],
    // A stored proxy with `require_auth: false` is called without an API key.
    ...(isProxy && { security: [{ key: [] }, {}] }),
    ...bodyOf(route, described),
    responses: {
      ...(isProxy
        ? { '2XX': forwarded(described.response), default: forwarded(described.response) }
        : { [String(route.success)]: response(described.response) }),
      ...Object.fromEntries(others),
      ...Object.fromEntries(failures),
    },
    'x-codeSamples': curlOf(route, described),
    ...(described.callback && {
      callbacks: { [described.callback.name]: { [described.callback.address]: { post: WEBHOOK } } },
    }),
  };
}

const ABOUT = `A tokenization service in your own AWS account: send it sensitive data and get a token back. Only callers whose permissions and access rules allow it can read the data again.

Bodies are JSON, times ISO 8601 with an offset. Errors follow RFC 9457 and never contain token data. One trailing slash is ignored on every path; members of a body and query parameters that an operation does not have are refused with 400, unless the deploy setting \`clientCompatibility\` is \`lenient\`: then members are ignored.

# Authentication

Every request carries the key of an application or a session in \`${reserved('api-key')}\`. An operator may have chosen another prefix for the \`SVC-\` headers.

How to get a key:

1. The operator creates a tenant, and gets the key of its first application, of type \`management\`. \`npm start\` does so, and prints it.
2. With it, \`POST /applications\` creates a \`private\` application for a server or a \`public\` one for pages. The response shows the key, this once.
3. A page that reads needs a session: \`POST /sessions\` with the public key gives it a key, and your server authorizes that by \`POST /sessions/authorize\`.

Samples for curl take the address of the service from \`URL\` and the key from \`KEY\`.`;

const TAGS = [
  { name: 'Tokens', description: 'Create, read, search, update and delete tokens.' },
  { name: 'Proxy', description: 'Requests to third parties with the plaintext filled in.' },
  { name: 'Stored proxies', description: 'Destinations with their secrets and transforms.' },
  { name: 'Applications', description: 'Keys, and what they may do.' },
  { name: 'Sessions', description: 'Short-lived access for browsers.' },
  { name: 'Reactors', description: 'Run your own code on detokenized data.' },
  { name: 'Logs', description: 'Who did what: the audit trail.' },
  { name: 'Tenant', description: 'Settings of the tenant.' },
];

/**
 * Creates the OpenAPI 3.1 document of the interface. Throws for an operation without a description,
 * or a description without an operation.
 */
export function createOpenApiDocument(routes: readonly AnyRoute[], version: string): object {
  const unknown = Object.keys(OPERATIONS).filter((name) => !routes.some((route) => route.operation === name));
  if (unknown.length > 0) throw new Error(`openapi: no route is called ${unknown.join(', ')}`);
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const path = route.path.replace('+}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Cloakroom',
        version,
        summary: 'Tokens, proxies, applications and reactors',
        description: ABOUT,
        contact: { name: 'The operator of your deployment' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [
        { url: 'http://localhost:8787', description: 'npm start' },
        {
          url: 'https://{host}',
          description: 'A deployment',
          variables: {
            host: { default: 'tokens.example.com', description: 'Output ApiUrl of the stack Api' },
          },
        },
      ],
      security: [{ key: [] }],
      tags: TAGS,
      components: {
        securitySchemes: {
          key: {
            type: 'apiKey',
            in: 'header',
            name: reserved('api-key'),
            description: 'The key of an application or of a session.',
          },
        },
      },
      paths,
      webhooks: { reactorResult: { post: { ...WEBHOOK, operationId: 'reactorResult', tags: ['Reactors'] } } },
    },
    {
      // Requests have no unknown members. Responses may get new members later, so their schemas
      // must not exclude them.
      override: ({ jsonSchema, zodSchema, io }) => {
        // Any whole number: these bounds would only hide those that matter.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (zodSchema._zod.def.type !== 'object') return;
        for (const [name, member] of Object.entries(zodSchema._zod.def.shape))
          if (z.globalRegistry.get(member)?.['undocumented'] === true) delete jsonSchema.properties?.[name];
        if (io === 'input') jsonSchema.additionalProperties = false;
        else delete jsonSchema.additionalProperties;
      },
    },
  );
  for (const route of routes) {
    const { members, required } = OPERATIONS[route.operation] ?? {};
    describeMembers(document, route, members ?? {}, required ?? []);
  }
  nameRequests(document as unknown as NamedRequests);
  return document;
}
