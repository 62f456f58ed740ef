import { z } from 'zod';
import { CONDITION_ATTRIBUTES, CONDITION_OPERATORS, TRANSFORMS } from '../../core/access/access-rule.ts';
import { APPLICATION_TYPES, PERMISSION_NAMES } from '../../core/access/permission.ts';
import { FORMS, OUTCOMES } from '../../core/audit/audit-record.ts';
import { COUNT_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../core/lists/pagination.ts';
import { PAGE_BYTES } from '../../core/tokens/open-page.ts';
import { TOKEN_TYPE_NAMES } from '../../core/tokens/token-type.ts';
import { IDS_MAX } from '../page-query.ts';
import { PROBLEM_CODES } from '../problem.ts';
import { counted } from './words.ts';

/*
 * The shapes of responses for the OpenAPI document. The end-to-end tests check every response
 * against them. The service itself sends what its presenters return, without a second check.
 */

const CARD_TOKEN = {
  id: '0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8',
  tenant_id: '5f9c1f0e-3c53-4f6e-9a53-0d9c6a1c2b11',
  type: 'card',
  data: { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: 2030 },
  mask: {
    number: '{{ data.number | reveal_last: 4 }}',
    expiration_month: '{{ data.expiration_month }}',
    expiration_year: '{{ data.expiration_year }}',
  },
  fingerprint: 'BFCSTTbBqv3gTYhZ1bmjHuYJ3mFHzV5k6rH9xZgCkR1h',
  fingerprint_expression: '{{ data.number }}',
  containers: ['/pci/high/'],
  metadata: { customer: 'c-17' },
  created_by: '3c4a8c51-6f0e-4a5b-8e0c-9b0f6f0a7d21',
  created_at: '2026-11-21T10:15:30.123+00:00',
};

const json = z.unknown();
const uuid = z.string().meta({ format: 'uuid' });
const time = z.string().meta({ format: 'date-time' });

/** The error object of the interface (docs/contract.md#errors). */
export const problem = z
  .object({
    title: z.string(),
    status: z.int(),
    code: z.enum(PROBLEM_CODES).meta({
      description: 'The error for programs. It is stable, while the words may change.',
    }),
    detail: z.string().optional().meta({ description: 'Absent on an unexpected 500.' }),
    errors: z.record(z.string(), z.array(z.string())).optional().meta({
      description: 'The problems, by the path of the member (`data.number`, `rules[0].priority`).',
    }),
  })
  .meta({
    id: 'Problem',
    description: 'An error with the fields of RFC 9457. It never contains data or a key.',
    examples: [
      {
        title: 'Bad Request',
        status: 400,
        code: 'validation_failed',
        detail: 'One or more validation errors occurred.',
        errors: { contaners: ['is not known; did you mean `containers`?'] },
      },
    ],
  });

/** Responses of API Gateway itself, before a function of the service runs (docs/decisions/0006). */
export const gatewayMessage = z
  .object({ message: z.string().nullable(), title: z.string().optional(), status: z.int().optional() })
  .meta({
    id: 'GatewayMessage',
    description: 'A response of API Gateway itself: no function of the service ran.',
  });

/** Failures of the proxy itself. */
export const proxyProblem = z.object({ proxy_error: problem }).meta({
  id: 'ProxyProblem',
  description: 'The proxy itself failed: the destination sent no response, or an incomplete one.',
});

const binDetails = z
  .object({
    card_brand: z.string().nullable().meta({
      description: 'Such as `visa`; `null` if the first digits are in no known range. Names may be added.',
    }),
    bin_length: z.int().nullable(),
  })
  .nullable()
  .optional();

const mask = z.union([z.string(), z.record(z.string(), json), z.array(json), z.number(), z.boolean()]).meta({
  id: 'Mask',
  description: 'Any JSON with expressions in its strings: what readers see of `data` under `mask`.',
  examples: [CARD_TOKEN.mask, '{{ data | reveal_last: 4 }}'],
});

const tokenMembers = {
  id: z.string(),
  tenant_id: uuid,
  type: z.enum(TOKEN_TYPE_NAMES),
  data: json.optional().meta({
    description:
      'Under `reveal` the data as sent: `CardData`, `BankData`, a string, or any JSON for the type `token`. Under `mask` the value of the mask; absent if redacted.',
  }),
  mask: mask.optional(),
  fingerprint: z.string().optional().meta({
    description: 'Equal for equal values of one type within the tenant; absent if the data is redacted.',
  }),
  fingerprint_expression: z.string().optional(),
  containers: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
  search_indexes: z.array(z.string()).optional(),
  enrichments: z
    .object({ bin_details: binDetails })
    .optional()
    .meta({ description: 'Only within `{{ token: ... }}` expressions, for cards.' }),
  expires_at: time.optional(),
  created_by: uuid,
  created_at: time,
  modified_by: uuid.optional(),
  modified_at: time.optional(),
};

const deduplicated = z.object({
  deduplicated: z.literal(true),
  not_stored: z
    .array(z.string())
    .optional()
    .meta({ description: 'Members of the request that the existing token did not take over: `data.cvc`.' }),
});

/** The Token object (docs/contract.md#the-token-object). */
export const token = z.object(tokenMembers).meta({ id: 'Token', examples: [CARD_TOKEN] });

const { metadata, ...tokenMembersOfAPage } = tokenMembers;

/** A token of a page, without members that exceed its share of the page. */
export const listedToken = z
  .object({
    ...tokenMembersOfAPage,
    metadata: metadata.optional(),
    _extras: z.object({ omitted: z.array(z.string()) }).optional(),
  })
  .meta({
    id: 'ListedToken',
    description: `The Token object. \`_extras.omitted\` names the members that exceed their share of the page, ${counted(PAGE_BYTES)} bytes of JSON divided by \`size\`, or that are stored separately for their size: get the token to see them.`,
    examples: [CARD_TOKEN],
  });

/** The response to creating or updating a token. */
export const writtenToken = z
  .object({ ...tokenMembers, _extras: deduplicated.optional() })
  .partial()
  .required({ id: true, tenant_id: true, type: true, containers: true })
  .meta({
    id: 'WrittenToken',
    description:
      'The Token object. With `_extras`, an existing duplicate: complete if the caller may read it, otherwise only its identity. An update without `token:read` shows nothing of the content, and neither does the replay of a write whose token has changed since.',
    examples: [CARD_TOKEN],
  });

const condition = z.object({
  attribute: z.enum(CONDITION_ATTRIBUTES),
  operator: z.enum(CONDITION_OPERATORS),
  value: z.string(),
});

const accessRule = z
  .object({
    description: z.string().optional(),
    priority: z.int().meta({ description: 'From 1; lower numbers come first.' }),
    container: z.string().optional(),
    conditions: z.array(condition).optional(),
    transform: z.enum(TRANSFORMS),
    permissions: z.array(z.enum(PERMISSION_NAMES)),
  })
  .meta({
    id: 'AccessRule',
    examples: [{ priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] }],
  });

const applicationMembers = {
  id: uuid,
  tenant_id: uuid,
  name: z.string(),
  type: z.enum(APPLICATION_TYPES),
  permissions: z.array(z.enum(PERMISSION_NAMES)),
  rules: z.array(accessRule),
  created_by: uuid.optional(),
  created_at: time.optional(),
  modified_by: uuid.optional(),
  modified_at: time.optional(),
  expires_at: time.optional(),
};

const APPLICATION = {
  id: '3c4a8c51-6f0e-4a5b-8e0c-9b0f6f0a7d21',
  tenant_id: CARD_TOKEN.tenant_id,
  name: 'Billing',
  type: 'private',
  permissions: [],
  rules: [{ priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read', 'token:use'] }],
  created_by: '9d1e7c7b-1b59-4f0b-b0b5-6d8c1f7ad0aa',
  created_at: '2026-11-21T10:15:30.123+00:00',
};

/** The Application object (docs/contract.md#the-application-object), as reads return it. */
export const application = z.object(applicationMembers).meta({ id: 'Application', examples: [APPLICATION] });

/** The Application object with its key, which only its creation and a regeneration return. */
export const applicationWithKey = z.object({ ...applicationMembers, key: z.string() }).meta({
  id: 'ApplicationWithKey',
  description: 'Only this response contains the key.',
  examples: [{ ...APPLICATION, key: 'key_private_...' }],
});

/** The Reactor object (docs/contract.md#the-reactor-object). */
export const reactor = z
  .object({
    id: uuid,
    tenant_id: uuid,
    name: z.string(),
    code: z.string(),
    configuration: z.record(z.string(), z.string()),
    application: application.optional(),
    created_by: uuid,
    created_at: time,
    modified_by: uuid.optional(),
    modified_at: time.optional(),
  })
  .meta({
    id: 'Reactor',
    examples: [
      {
        id: 'b3a0f6c2-52a8-4d7e-8a43-6f2b8f1d9c55',
        tenant_id: CARD_TOKEN.tenant_id,
        name: 'Charge card',
        code: 'module.exports = async ({ args }) => ({ raw: { last4: args.card.number.slice(-4) } });',
        configuration: { url: 'https://processor.example.com' },
        application: APPLICATION,
        created_by: '9d1e7c7b-1b59-4f0b-b0b5-6d8c1f7ad0aa',
        created_at: '2026-11-21T10:15:30.123+00:00',
      },
    ],
  });

/** The Reactor response object (docs/contract.md#the-reactor-response-object). */
export const reactorResponse = z
  .object({
    tokens: json.optional().meta({ description: 'What the `tokenize` block became.' }),
    raw: json.optional().meta({ description: 'Output of the code that is not sensitive.' }),
  })
  .meta({ id: 'ReactorResponse', examples: [{ raw: { charged: true }, tokens: { card: CARD_TOKEN } }] });

const INVOCATION = 'c0a5b7de-0c1f-4b7a-9d57-1de1a0f0b0a4';

/** The result of an asynchronous invocation. */
export const reactorResult = z
  .object({
    id: uuid,
    status: z.enum(['queued', 'running', 'succeeded', 'failed']),
    result: z
      .union([reactorResponse, problem])
      .optional()
      .meta({ description: 'Absent until the invocation has ended.' }),
  })
  .meta({
    id: 'ReactorResult',
    examples: [{ id: INVOCATION, status: 'succeeded', result: { raw: { charged: true } } }],
  });

/** An accepted asynchronous invocation. */
export const acceptedInvocation = z
  .object({ id: uuid })
  .meta({ id: 'AcceptedInvocation', examples: [{ id: INVOCATION }] });

/** A new session. */
export const session = z.object({ session_key: z.string(), nonce: z.string(), expires_at: time }).meta({
  id: 'Session',
  description: 'A session has no access until it is authorized.',
  examples: [
    {
      session_key: 'key_session_...',
      nonce: '4sVx...',
      expires_at: '2026-11-21T10:18:30.123+00:00',
    },
  ],
});

/** An entry of the list of permissions. */
export const permission = z
  .object({
    type: z.enum(PERMISSION_NAMES),
    description: z.string(),
    application_types: z.array(z.enum(APPLICATION_TYPES)),
  })
  .meta({
    id: 'Permission',
    examples: [{ type: 'token:read', description: 'Read tokens', application_types: ['private'] }],
  });

/** The tenant of the key. */
export const tenant = z
  .object({ id: uuid, name: z.string(), settings: z.object({ deduplicate_tokens: z.boolean() }) })
  .meta({
    id: 'Tenant',
    examples: [{ id: CARD_TOKEN.tenant_id, name: 'Shop', settings: { deduplicate_tokens: false } }],
  });

const named = z.array(z.enum(PERMISSION_NAMES)).optional();

/** A record of the audit trail (docs/contract.md#audit-trail). */
export const logRecord = z
  .object({
    id: z.string(),
    created_at: time,
    operation: z.string().meta({
      description: 'By its name in this document, or the name of background work.',
    }),
    outcome: z.enum(OUTCOMES),
    status: z.int().optional().meta({ description: 'Of the response; absent before there is one.' }),
    follows: z.string().optional().meta({
      description: 'The `id` of the record that was written ahead of an effect of the same request.',
    }),
    application_id: z.string().optional(),
    credential: z.string().optional().meta({
      description: '`application`, `session:<id>`, `invocation:<id>` or `operator:<principal>`.',
    }),
    source_ip: z.string().optional(),
    trace_id: z.string().optional().meta({ description: 'The `SVC-TRACE-ID` of the request.' }),
    tokens: z
      .array(z.object({ id: z.string(), form: z.enum(FORMS) }))
      .optional()
      .meta({ description: 'The tokens that were shown, used, changed or refused, and how.' }),
    containers: z.array(z.string()).optional().meta({ description: 'Containers of these tokens.' }),
    matches: z.int().optional().meta({
      description: 'How many tokens matched a search, if over 100: then only those shown are named.',
    }),
    containers_left_out: z
      .int()
      .optional()
      .meta({ description: 'The number of further containers, for which the record has no room.' }),
    destination_host: z
      .string()
      .optional()
      .meta({ description: "Host of the proxy's destination or of a webhook." }),
    resource: z.string().optional().meta({
      description: 'The other subject of the request, such as `application:<id>`.',
    }),
    invocation_id: z.string().optional(),
    change: z
      .object({ members: z.array(z.string()), granted: named, withdrawn: named })
      .optional()
      .meta({ description: 'Names of changed members and of permissions; no values.' }),
  })
  .meta({
    id: 'LogRecord',
    description: 'One request, or one effect that a request started: ids, names and times, never data.',
    examples: [
      {
        id: '0mhx2k3f9Zk3v9QpLw2xA',
        created_at: '2026-11-22T07:15:03.412+00:00',
        operation: 'getToken',
        outcome: 'ok',
        status: 200,
        application_id: '3c4a8c51-6f0e-4a5b-8e0c-9b0f6f0a7d21',
        credential: 'application',
        source_ip: '203.0.113.7',
        trace_id: '45c57581-d870-43c3-95e8-eac0007b6b86',
        tokens: [{ id: CARD_TOKEN.id, form: 'reveal' }],
        containers: ['/pci/high/'],
      },
    ],
  });

const pagination = z
  .object({
    total_items: z.int().optional(),
    total_is_lower_bound: z
      .literal(true)
      .optional()
      .meta({ description: `There are more than ${counted(COUNT_MAX)}.` }),
    page_number: z.int().optional(),
    page_size: z.int(),
    total_pages: z.int().optional(),
    after: z.string().nullable().meta({ description: 'Cursor of the next page; `null` at the end.' }),
  })
  .meta({
    id: 'Pagination',
    description: 'A page requested with `after` has only `page_size` and `after`: its items are not counted.',
    examples: [{ total_items: 41, page_number: 1, page_size: 20, total_pages: 3, after: 'eyJ2...' }],
  });

/** A page of a list. */
export const pageOf = (item: z.ZodType) => z.object({ pagination, data: z.array(item) });

/** A query parameter that may be repeated. */
export const REPEATED = { style: 'form', explode: true } as const;

/** The query parameter of every list that selects items by id. */
export const idsParameter = z
  .array(z.string())
  .max(IDS_MAX)
  .optional()
  .meta({ description: `Only these, \`?id=a&id=b\`; at most ${counted(IDS_MAX)}.`, param: REPEATED });

/** Query parameters of every list. */
export const pageParameters = {
  page: z
    .int()
    .min(1)
    .optional()
    .meta({
      description: `From 1. \`page * size\` is at most ${counted(COUNT_MAX)}; continue with \`after\`.`,
    }),
  size: z
    .int()
    .min(1)
    .max(PAGE_SIZE_MAX)
    .optional()
    .meta({
      description: `Items of a page, 1 to ${counted(PAGE_SIZE_MAX)}. Default ${counted(PAGE_SIZE_DEFAULT)}.`,
    }),
  after: z.string().optional().meta({
    description: 'Cursor of a page of the same list with the same filters. Costs the same at any depth.',
  }),
};
