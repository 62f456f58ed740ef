import { z } from 'zod';
import { createBudget } from '../../src/core/expressions/budget.ts';
import { ExpressionError } from '../../src/core/expressions/expression-error.ts';
import { parseExpression } from '../../src/core/expressions/parse-expression.ts';
import { parseTemplate } from '../../src/core/expressions/template.ts';
import { compileRegex } from '../../src/core/stored-proxies/linear-regex.ts';
import { hides, isMasked } from '../../src/core/stored-proxies/message-headers.ts';

/*
 * Finds changes for proxies that a deployment has stored (docs/deploy.md#upgrade-roll-back).
 * Templates do not show them, and the service reports them only once a proxy is called or written.
 */

const transform = z.looseObject({
  type: z.enum([
    'append_header',
    'append_json',
    'remove_header',
    'allow_headers',
    'tokenize',
    'mask',
    'reactor',
    'verify_signature',
  ]),
  statuses: z.string().optional(),
  matcher: z.string().optional(),
  expression: z.string().optional(),
});

const proxy = z.looseObject({
  id: z.string(),
  name: z.string(),
  request_transforms: z.array(transform).default([]),
  response_transforms: z.array(transform).default([]),
  configuration_names: z.array(z.string()).default([]),
  pass_headers: z.array(z.string()).optional(),
});

/** A stored proxy, as a list of any version returns it. */
export type ListedProxy = z.output<typeof proxy>;

/** A list of proxies comes in such pages. */
export const proxyPage = z.looseObject({
  pagination: z.looseObject({ after: z.string().nullable() }),
  data: z.array(proxy),
});

/**
 * The effect that a change of the version has on a stored proxy.
 *
 * - `refused`: calls fail, and so does writing the proxy as it is.
 * - `headers_lost`: callers no longer get headers, or the destination does not.
 * - `calls_refused`: some calls that were accepted are not any more.
 * - `answers_changed`: callers get some answers with another status, or another body.
 */
export interface ProxyFinding {
  readonly kind: 'refused' | 'headers_lost' | 'calls_refused' | 'answers_changed';
  readonly id: string;
  readonly name: string;
  readonly what: string;
  readonly remedy: string;
}

type Found = Omit<ProxyFinding, 'id' | 'name'>;

const placesOf = (
  transforms: readonly { readonly type: string }[],
  types: readonly string[],
  member: string,
) =>
  transforms
    .flatMap(({ type }, at) => (types.includes(type) ? [`${member}[${String(at)}] (${type})`] : []))
    .join(', ');

const HIDING = ['mask', 'tokenize', 'reactor'];
const CHANGING = ['append_json', 'tokenize', 'reactor'];

const FAILING = ['append_json', 'tokenize', 'mask', 'reactor'];
const FOR_SUCCESS = ['append_json', 'tokenize'];

/** Callers get this in place of 502, unless the writer has decided for which statuses it runs. */
function ofStatuses({ response_transforms: all }: ListedProxy): readonly Found[] {
  const undecided = all.map((each) => (each.statuses === undefined ? each : { ...each, type: 'decided' }));
  const places = placesOf(undecided, FAILING, 'response_transforms');
  if (places === '') return [];
  const runs = placesOf(undecided, FOR_SUCCESS, 'response_transforms');
  const isLess = runs === '' ? '' : ` ${runs} runs for 2xx alone.`;
  return [
    {
      kind: 'answers_changed',
      what: `an answer that ${places} cannot change has the status of the destination, or 424 for a 2xx, in place of 502.${isLess}`,
      remedy:
        'Let callers read SVC-PROXY-DESTINATION-STATUS, and set statuses or otherwise (docs/contract.md#statuses-of-answers).',
    },
  ];
}

/** Callers of a proxy that hides lose these, unless its writer has decided already. */
function ofAnswers(found: ListedProxy): readonly Found[] {
  const { response_transforms: responseTransforms, pass_headers: passHeaders } = found;
  if (!hides({ responseTransforms }) || passHeaders !== undefined) return [];
  const places = placesOf(responseTransforms, HIDING, 'response_transforms');
  const accept = isMasked({ responseTransforms }) ? ', and the destination gets no Accept of a caller' : '';
  return [
    {
      kind: 'headers_lost',
      what: `${places} hides, so callers get only the headers of the list${accept}.`,
      remedy:
        'Name the others that they need in pass_headers (docs/contract.md#headers-of-a-proxy-that-hides).',
    },
    {
      kind: 'calls_refused',
      what: 'calls with If-* or Want-* return 400, except GET, which loses them.',
      remedy: 'Set such a header with append_header if the destination needs it.',
    },
  ];
}

function ofMasks({ response_transforms: transforms }: ListedProxy): readonly Found[] {
  return transforms.flatMap(({ matcher, expression }, at): readonly Found[] => {
    if (matcher !== 'regex' || expression === undefined) return [];
    const regex = compileRegex(expression);
    if (!('problem' in regex)) return [];
    return [
      {
        kind: 'refused',
        what: `the expression of response_transforms[${String(at)}] ${regex.problem}: every call fails.`,
        remedy: 'Write the mask with a smaller expression before the deployment.',
      },
    ];
  });
}

function ofRequests(found: ListedProxy): readonly Found[] {
  const { request_transforms: transforms, configuration_names: names } = found;
  const places = placesOf(transforms, CHANGING, 'request_transforms');
  const verifies = transforms.some(({ type }) => type === 'verify_signature');
  const signature = verifies ? ', the header that verify_signature reads included' : '';
  return [
    ...(places === ''
      ? []
      : [
          {
            kind: 'headers_lost' as const,
            what: `${places} changes the body, so the destination gets no digest or signature of the one that the caller sent${signature}.`,
            remedy: 'Set what the destination checks with append_header or a reactor.',
          },
        ]),
    ...(names.length === 0
      ? []
      : [
          {
            kind: 'calls_refused' as const,
            what: 'unless each value of its configuration is public, requests with a Content-Encoding return 415, and those with If-* or Want-* 400, except GET.',
            remedy: 'Let its callers send bodies that are not compressed.',
          },
        ]),
  ];
}

/** The filters of an expression; the name before them is not read. */
const filtersIn = (source: string): string | undefined => {
  const bar = source.indexOf('|');
  return bar === -1 ? undefined : `value ${source.slice(bar)}`;
};

/** Why an expression of a text fails from now on, such as a filter without its argument. */
function problemOf(text: string): string | undefined {
  const budget = createBudget(() => 0);
  try {
    for (const part of parseTemplate(text)) {
      const source = part.kind === 'expression' ? filtersIn(part.source) : undefined;
      if (source !== undefined) parseExpression(source, budget);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return error.message;
  }
}

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

function ofExpressions(found: ListedProxy): readonly Found[] {
  return (['request_transforms', 'response_transforms'] as const).flatMap((member) =>
    found[member].flatMap((each, at) => {
      const problem = textsIn(each)
        .map(problemOf)
        .find((one) => one !== undefined);
      if (problem === undefined) return [];
      return [
        {
          kind: 'refused' as const,
          what: `an expression of ${member}[${String(at)}] ${problem}: every call that reaches it fails.`,
          remedy: 'Correct it before the deployment (docs/contract.md#filters).',
        },
      ];
    }),
  );
}

/** Everything that changes for a stored proxy. */
export const findingsOf = (found: ListedProxy): readonly ProxyFinding[] =>
  [
    ...ofMasks(found),
    ...ofExpressions(found),
    ...ofAnswers(found),
    ...ofStatuses(found),
    ...ofRequests(found),
  ].map((each) => ({
    ...each,
    id: found.id,
    name: found.name,
  }));

/** Quotes a name, which a caller chose, so that it has no effect on a terminal. */
const quoted = (name: string): string => JSON.stringify(name).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

export const describeProxyFinding = ({ kind, id, name, what, remedy }: ProxyFinding): string =>
  `${kind.replace('_', ' ')}: proxy ${id} ${quoted(name)}: ${what} ${remedy}`;

/** Reads all proxies of the key's tenant. `read` returns the JSON of a path. */
export async function listedProxies(
  read: (path: string) => Promise<unknown>,
): Promise<readonly ListedProxy[]> {
  const all: ListedProxy[] = [];
  for (let query = ''; ;) {
    const { pagination, data } = proxyPage.parse(await read(`/proxies?size=100${query}`));
    all.push(...data);
    if (pagination.after === null) return all;
    query = `&after=${encodeURIComponent(pagination.after)}`;
  }
}
