import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import { DESTINATION_MAX_LENGTH } from '../../src/core/egress/destination.ts';
import { MEMBERS_MAX } from '../../src/core/shared/json-extent.ts';
import { KEY_MAX_LENGTH } from '../../src/http/idempotency.ts';
import { counted, megabytes } from '../../src/http/openapi/words.ts';
import { BODY_MAX_BYTES } from '../../src/http/parse-input.ts';
import { problemOf, PROBLEMS } from '../../src/http/problem.ts';
import type { ReservedHeader } from '../../src/http/reserved-headers.ts';
import type { AnyRoute } from './all-routes.ts';
import type { DescribedAnswer, DescribedOperation, Example } from '../../src/http/openapi/operation.ts';
import { applications } from '../../functions/applications/openapi.ts';
import { proxy } from '../../functions/proxy/openapi.ts';
import { reactors } from '../../functions/reactors/openapi.ts';
import { tokens } from '../../functions/tokens/openapi.ts';
import { nameRequests, type NamedRequests } from './name-requests.ts';
import { curlSample } from './curl-sample.ts';
import { describeMembers } from './describe-members.ts';
import { gatewayMessage, problem, proxyProblem } from '../../src/http/openapi/schemas.ts';

/** What is said of each operation, by its name in the route tables. */
export const OPERATIONS: Readonly<Record<string, DescribedOperation>> = {
  ...tokens,
  ...proxy,
  ...applications,
  ...reactors,
};

/** A reserved header as the document names it. */
const reserved = (name: ReservedHeader): string => `SVC-${name.toUpperCase()}`;

const JSON_TYPE = 'application/json';
const MERGE_PATCH_TYPE = 'application/merge-patch+json';
const text = { type: 'string' } as const;

const TRACE = {
  description: 'The id of the request in the logs: yours if you sent one.',
  required: true,
  schema: text,
};
const RETRY_AFTER = { description: 'Seconds to wait.', schema: { type: 'integer' } } as const;
const DESTINATION_STATUS = {
  description: "The destination's status. Without this header the failure is the proxy's own.",
  required: true,
  schema: { type: 'integer' },
} as const;

/** Answers that API Gateway can give by itself, in a form of its own (docs/decisions/0006). */
const OF_THE_GATEWAY: readonly number[] = [400, 413, 429, 500, 503];

const FAILURES: Readonly<Record<number, string>> = {
  400: 'The request is malformed; `errors` says where.',
  401: 'The key is missing, unknown, revoked or expired.',
  403: 'A permission is missing, no rule matches, or the type of the application is wrong.',
  404: 'No such resource in this tenant, or it has expired.',
  409: 'A request with the same idempotency key is still running.',
  413: `The body is over ${megabytes(BODY_MAX_BYTES)}, or the answer would be, or the tokens that it names are, or these hold more than ${counted(MEMBERS_MAX)} elements and members.`,
  415: 'The body must be `application/merge-patch+json`.',
  422: 'The idempotency key was used with another body.',
  429: 'Too many requests.',
  500: 'Unexpected. The log has the cause under the trace id.',
  503: 'The store or the key service is unavailable or throttling.',
};

/** Names of the usual failures within the document. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};

/** The statuses that every operation of this kind can fail with. */
function failuresOf(route: AnyRoute, described: DescribedOperation): Readonly<Record<number, string>> {
  const takesKey = ['POST', 'PUT', 'PATCH'].includes(route.method) && route.operation !== 'proxy';
  const statuses = [
    ...[400, 401, 403, 413, 429, 500, 503],
    ...(described.parameters !== undefined && route.operation !== 'proxy' ? [404] : []),
    ...(takesKey && route.idempotency === undefined ? [409, 422] : []),
    ...(route.mergePatch === true ? [415] : []),
  ];
  return {
    ...Object.fromEntries(statuses.map((status) => [status, FAILURES[status] ?? ''])),
    ...described.failures,
  };
}

/** What a destination may answer is not ours to say. */
const anything = z.unknown().meta({
  description: `Of the destination, if the header \`${reserved('proxy-destination-status')}\` is there.`,
});

const SHAPES = {
  problem: { own: problem, any: z.union([problem, gatewayMessage]) },
  proxyProblem: {
    own: z.union([proxyProblem, anything]),
    any: z.union([proxyProblem, gatewayMessage, anything]),
  },
} as const;

/** A failure as the service words it; its `detail` here is what the document says of it. */
function exampleOf(status: number, description: string) {
  if (status === 500) return problemOf(undefined).problem;
  const known = Object.entries(PROBLEMS).find(([, problem]) => problem.status === status);
  if (known === undefined) throw new Error(`openapi: no failure has the status ${String(status)}`);
  const [code, { title }] = known;
  const validation = status === 400 && {
    errors: { contaners: ['is not known; did you mean `containers`?'] },
  };
  const detail = status === 400 ? 'One or more validation errors occurred.' : description;
  return { title, status, code, detail, ...validation };
}

/**
 * Usual failures, each an object of its own: the document holds it once, and operations refer to
 * it.
 */
const usual = new Map<string, ZodOpenApiResponseObject>();

function failure(status: number, description: string, shape: keyof typeof SHAPES): ZodOpenApiResponseObject {
  const mayBeTheGateways = OF_THE_GATEWAY.includes(status);
  const isProxy = shape === 'proxyProblem';
  const example = exampleOf(status, description);
  const response = {
    description,
    headers: {
      [reserved('trace-id')]: { ...TRACE, required: !mayBeTheGateways },
      ...([409, 429, 503].includes(status) && { 'Retry-After': RETRY_AFTER }),
      ...(isProxy && { [reserved('proxy-destination-status')]: { ...DESTINATION_STATUS, required: false } }),
    },
    content: {
      [JSON_TYPE]: {
        schema: SHAPES[shape][mayBeTheGateways ? 'any' : 'own'],
        examples: { failure: { value: isProxy ? { proxy_error: example } : example } },
      },
      ...(isProxy && { '*/*': { schema: {} } }),
    },
  };
  if (FAILURES[status] !== description) return response;
  const id = `${shape === 'problem' ? '' : 'Proxy'}${NAMES[status] ?? ''}`;
  const known = usual.get(id) ?? { id, ...response };
  usual.set(id, known);
  return known;
}

function valuesOf(examples: Readonly<Record<string, Example>> | undefined) {
  return examples === undefined ? {} : { examples: { ...examples } };
}

function answer({ description, schema, examples }: DescribedAnswer): ZodOpenApiResponseObject {
  return {
    description,
    headers: { [reserved('trace-id')]: TRACE },
    ...(schema && { content: { [JSON_TYPE]: { schema, ...valuesOf(examples) } } }),
  };
}

const forwarded = ({ description }: DescribedAnswer): ZodOpenApiResponseObject => ({
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

function requestHeaders(route: AnyRoute) {
  const trace = header(reserved('trace-id'), 'Your id of the request, 1 to 200 visible ASCII characters.');
  if (route.operation === 'proxy')
    return [
      trace,
      header(reserved('proxy-url'), 'The destination: https, port 443, a DNS name, no expressions.', {
        required: true,
        schema: { type: 'string', format: 'uri', maxLength: DESTINATION_MAX_LENGTH },
        example: DESTINATION_EXAMPLE,
      }),
      header(reserved('proxy-keep-alive'), 'Becomes `Keep-Alive` of the outbound call.'),
      header(reserved('proxy-connection'), 'Becomes `Connection` of the outbound call.'),
    ];
  if (!['POST', 'PUT', 'PATCH'].includes(route.method)) return [trace];
  const kept =
    route.idempotency === 'read_only'
      ? 'Checked; nothing is kept, since the operation changes nothing.'
      : 'The outcome of the first success is kept for 24 hours and replayed. The same key with another body is 422.';
  return [
    trace,
    header(reserved('idempotency-key'), kept, {
      schema: { type: 'string', minLength: 1, maxLength: KEY_MAX_LENGTH },
    }),
  ];
}

/** Without a body a request is read as if it had sent `{}`. */
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

/** `proxy` stands for ten rows of the table, and every operation needs a name of its own. */
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
    ([status, also]) => [status, answer(also)] as const,
  );
  const needs = route.permission === undefined ? '' : `Needs \`${route.permission}\`.`;
  return {
    operationId: operationId(route),
    tags: [described.tag],
    summary: described.summary,
    description: [described.description, needs].filter(Boolean).join('\n\n'),
    requestParams: described.query === undefined ? {} : { query: described.query },
    parameters: [...pathParameters, ...requestHeaders(route)],
    ...bodyOf(route, described),
    responses: {
      ...(isProxy
        ? { '2XX': forwarded(described.answer), default: forwarded(described.answer) }
        : { [String(route.success)]: answer(described.answer) }),
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

/**
 * The OpenAPI 3.1 document of the interface. Throws if an operation is not described, or what is
 * described does not exist.
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
        summary: 'Tokens, the ephemeral proxy, applications and reactors',
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
      tags: [
        { name: 'Tokens', description: 'Create, read, search, update and delete tokens.' },
        { name: 'Proxy', description: 'Requests to third parties with the plaintext filled in.' },
        { name: 'Applications', description: 'Keys, and what they may do.' },
        { name: 'Sessions', description: 'Short-lived access for browsers.' },
        { name: 'Reactors', description: 'Run your own code on detokenized data.' },
        { name: 'Tenant', description: 'Settings of the tenant.' },
      ],
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
      // What is sent may hold no member that is not known. Answers may get members that nobody
      // knows today; a client must not be told otherwise.
      override: ({ jsonSchema, zodSchema, io }) => {
        // Any whole number: these bounds would only hide those that matter.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (zodSchema._zod.def.type !== 'object') return;
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
