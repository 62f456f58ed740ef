import * as z from 'zod/mini';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import { DESTINATION_MAX_LENGTH } from '../../src/core/egress/destination.ts';
import { KEY_MAX_LENGTH } from '../../src/http/idempotency.ts';
import type { AnyRoute } from './all-routes.ts';
import type {
  DescribedResponse,
  OperationDescription,
  Example,
} from '../../src/wire/operation-description.ts';
import { EXAMPLE_IDS } from './example-values.ts';
import { OPERATIONS } from './operations.ts';
import type { Recorded } from './record-responses.ts';
import { samplesOf } from './samples.ts';
import { nameRequests, type NamedRequests } from './name-requests.ts';
import { describeMembers } from './describe-members.ts';
import { failure, failuresOf } from './failures.ts';
import {
  DESTINATION_STATUS,
  ENTITY_TAG,
  JSON_TYPE,
  LOCATION,
  reserved,
  STOPPED_PROXIES,
  TRACE,
} from './headers.ts';

const MERGE_PATCH_TYPE = 'application/merge-patch+json';
const text = { type: 'string' } as const;

function valuesOf(examples: Readonly<Record<string, Example>> | undefined) {
  return examples === undefined ? {} : { examples: { ...examples } };
}

/** Describes a response, with a recorded one as its example. */
function response(
  { description, schema, hasTag, namesStoppedProxies }: DescribedResponse,
  recorded: unknown,
): ZodOpenApiResponseObject {
  const examples =
    recorded === undefined
      ? undefined
      : { recorded: { summary: 'A response of the service', value: recorded } };
  return {
    description,
    headers: {
      [reserved('trace-id')]: TRACE,
      ...(hasTag === true && { ETag: ENTITY_TAG }),
      ...(namesStoppedProxies === true && { [reserved('stopped-proxies')]: STOPPED_PROXIES }),
    },
    ...(schema && { content: { [JSON_TYPE]: { schema, ...valuesOf(examples) } } }),
  };
}

const forwarded = ({ description }: DescribedResponse): ZodOpenApiResponseObject => ({
  description,
  headers: {
    [reserved('trace-id')]: TRACE,
    [reserved('proxy-destination-status')]: DESTINATION_STATUS,
    [reserved('proxy-location')]: LOCATION,
  },
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

const CONDITION = header(
  'If-Match',
  'The `ETag` of the state that the change is for, or `*`: another state is 412 and stays.',
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
        example: destinationExample(route),
      }),
      header(reserved('proxy-keep-alive'), 'Becomes `Keep-Alive` of the outbound call.'),
      header(reserved('proxy-connection'), 'Becomes `Connection` of the outbound call.'),
    ];
  const own = [
    trace,
    ...(route.takesTransform === true ? [TRANSFORM] : []),
    ...(route.takesCondition === true ? [CONDITION] : []),
  ];
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

function bodyOf(route: AnyRoute, described: OperationDescription) {
  if (route.operation === 'proxy')
    return ['GET', 'DELETE'].includes(route.method)
      ? {}
      : { requestBody: { required: false, content: { '*/*': { schema: {}, ...valuesOf(PROXIED) } } } };
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

/** A sample sends this to the destination. */
const PROXIED_BODY = { number: `{{ ${EXAMPLE_IDS.token} | json: '$.number' }}`, amount: 1_999 };
const PROXIED = { charge: { summary: 'A charge', value: PROXIED_BODY } };

/** Forwards to one address, with or without the path after `/proxy`. */
const destinationExample = ({ path }: AnyRoute): string =>
  `https://api.processor.example.com/v1${path.endsWith('+}') ? '' : `/${SUFFIX_EXAMPLE}`}`;
const SUFFIX_EXAMPLE = 'charges';

const mediaTypeOf = (route: AnyRoute): string => (route.mergePatch === true ? MERGE_PATCH_TYPE : JSON_TYPE);

/** How to call the operation, with the first of its examples. */
function samples(route: AnyRoute, described: OperationDescription) {
  const isProxy = route.operation === 'proxy';
  const [example] = route.body === undefined ? [] : Object.values(described.requests ?? {});
  const body = isProxy && !['GET', 'DELETE'].includes(route.method) ? PROXIED_BODY : example?.value;
  const names = [...route.path.matchAll(/\{([^}+]+)\+?\}/g)].map(([, name = '']) => name);
  return samplesOf(route, {
    sdk: described.sdk,
    params: Object.fromEntries(names.map((name) => [name, pathExample(route.path, name)])),
    headers: {
      ...(isProxy && { [reserved('proxy-url')]: destinationExample(route) }),
      ...(body !== undefined && { 'Content-Type': mediaTypeOf(route) }),
    },
    body,
  });
}

/** `proxy` is ten rows of the table, and every operation needs a unique id. */
function operationId({ operation, method, path }: AnyRoute): string {
  if (operation !== 'proxy') return operation;
  return `proxy${method.charAt(0)}${method.slice(1).toLowerCase()}${path.endsWith('+}') ? 'Path' : ''}`;
}

const IDS_OF_KINDS: Readonly<Record<string, string>> = {
  tokens: EXAMPLE_IDS.token,
  applications: EXAMPLE_IDS.application,
  reactors: EXAMPLE_IDS.reactor,
  proxies: EXAMPLE_IDS.proxy,
};

/** The value of a parameter in samples: an id of the resource that the path names. */
function pathExample(path: string, name: string): string {
  if (name === 'id') return IDS_OF_KINDS[path.split('/')[1] ?? ''] ?? '';
  if (name === 'key_id') return EXAMPLE_IDS.key;
  return name === 'invocation_id' ? EXAMPLE_IDS.invocation : SUFFIX_EXAMPLE;
}

function wordsOf({ parameters = {} }: OperationDescription, name: string, of: string): string {
  const words = parameters[name];
  if (words === undefined) throw new Error(`openapi: ${of} does not describe {${name}}`);
  return words;
}

function operation(route: AnyRoute, recorded: Recorded[string] = {}): ZodOpenApiOperationObject {
  const described = OPERATIONS[route.operation];
  if (described === undefined) throw new Error(`openapi: ${route.operation} is not described`);
  const isProxy = route.operation === 'proxy';
  const pathParameters = [...route.path.matchAll(/\{([^}+]+)\+?\}/g)].map(([, name = '']) => ({
    in: 'path' as const,
    name,
    required: true,
    description: wordsOf(described, name, route.operation),
    schema: text,
    example: pathExample(route.path, name),
  }));
  const failures = Object.entries(failuresOf(route, described)).map(
    ([status, description]) =>
      [status, failure(Number(status), description, isProxy ? 'proxyProblem' : 'problem')] as const,
  );
  const others = Object.entries(described.also ?? {}).map(
    ([status, also]) => [status, response(also, recorded[status])] as const,
  );
  const needs = route.permission === undefined ? '' : `Needs \`${route.permission}\`.`;
  return {
    operationId: operationId(route),
    tags: [described.tag],
    // The methods of a path of its own have the same words.
    summary: route.path.endsWith('+}') ? `${described.summary} to a path` : described.summary,
    description: [described.description, needs].filter(Boolean).join('\n\n'),
    requestParams: described.query === undefined ? {} : { query: described.query },
    parameters: [...pathParameters, ...requestHeaders(route)],
    // A stored proxy with `require_auth: false` is called without an API key.
    ...(isProxy && { security: [{ key: [] }, {}] }),
    ...bodyOf(route, described),
    responses: {
      ...(isProxy
        ? { '2XX': forwarded(described.response), default: forwarded(described.response) }
        : { [String(route.success)]: response(described.response, recorded[String(route.success)]) }),
      ...Object.fromEntries(others),
      ...Object.fromEntries(failures),
    },
    'x-codeSamples': samples(route, described),
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

Samples take the address of the service from the variable \`URL\` and the key from \`KEY\`.`;

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

/** Puts the reference to a component in place of a schema. */
function refer(jsonSchema: object, component: string): void {
  for (const keyword of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, keyword);
  Object.assign(jsonSchema, referTo(component));
}

/** Leaves out what the document does not say of an object. */
const overridden: NonNullable<NonNullable<Parameters<typeof createDocument>[1]>['override']> = ({
  jsonSchema,
  zodSchema,
  io,
}) => {
  // Any whole number: these bounds would only hide those that matter.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (zodSchema._zod.def.type !== 'object') return;
  const { component } = z.globalRegistry.get(zodSchema) ?? {};
  if (typeof component === 'string') {
    refer(jsonSchema, component);
    return;
  }
  for (const [name, member] of Object.entries(zodSchema._zod.def.shape))
    if (z.globalRegistry.get(member)?.['undocumented'] === true) delete jsonSchema.properties?.[name];
  if (io === 'input') jsonSchema.additionalProperties = false;
  else delete jsonSchema.additionalProperties;
};

/**
 * Creates the OpenAPI 3.1 document of the interface, with recorded responses. Throws for an
 * operation without a description, or a description without an operation.
 */
export function createOpenApiDocument(
  routes: readonly AnyRoute[],
  version: string,
  recorded: Recorded = {},
): object {
  const unknown = Object.keys(OPERATIONS).filter((name) => !routes.some((route) => route.operation === name));
  if (unknown.length > 0) throw new Error(`openapi: no route is called ${unknown.join(', ')}`);
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const path = route.path.replace('+}', '}');
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operation(route, recorded[route.operation]),
    };
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
      override: overridden,
    },
  );
  for (const route of routes) {
    const { members, required } = OPERATIONS[route.operation] ?? {};
    describeMembers(document, route, members ?? {}, required ?? []);
  }
  nameRequests(document as unknown as NamedRequests);
  return document;
}
