import * as z from 'zod/mini';
import type { Right, Way } from '../core/access/access-decision.ts';
import { PERMISSION_NAMES, type Permission } from '../core/access/permission.ts';
import type { Explanation, ExplainedStep, Question, Subject } from '../core/applications/explain-access.ts';
import { wayOf } from '../core/access/callback-address.ts';
import { callbackProblem } from '../core/access/parse-callback.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { invalid } from '../core/shared/service-error.ts';
import { container, destinations, grants, grantsOf, grantsWords, transform } from './application.ts';
import { body, described, names, oneOf, optional, text, type Response } from './parts.ts';
import type { Members } from './words.ts';

type TokenPermission = Extract<Permission, `token:${string}`>;

const isTokenPermission = (permission: Permission): permission is TokenPermission =>
  permission.startsWith('token:');

/** Only these depend on the container of a token. */
const TOKEN_PERMISSIONS = PERMISSION_NAMES.filter(isTokenPermission);

interface Destination {
  readonly proxies?: readonly string[] | undefined;
  readonly reactors?: readonly string[] | undefined;
  readonly callback_url?: string | undefined;
}

/** The one destination of a question. Throws `validation_failed`. */
function destinationOf({ proxies = [], reactors = [], callback_url: callbackUrl }: Destination): Way {
  if (proxies.length + reactors.length !== 1) throw invalid('through', 'must name one proxy or one reactor');
  const proxy = proxies[0];
  const reactor = reactors[0] ?? '';
  if (proxy === undefined) {
    const problem = callbackUrl === undefined ? undefined : callbackProblem(callbackUrl, 'any');
    if (problem !== undefined) throw invalid('through.callback_url', problem);
    return wayOf(reactor, callbackUrl);
  }
  if (callbackUrl !== undefined) throw invalid('through.callback_url', 'is only for a reactor');
  return { proxy };
}

/** Throws `validation_failed` for a destination of a permission that has none. */
function rightOf(permission: TokenPermission, asked: Destination | undefined): Right {
  if (permission === 'token:use')
    return { use: asked === undefined ? 'named_by_caller' : destinationOf(asked) };
  if (asked !== undefined) throw invalid('through', 'is only for token:use');
  return permission;
}

type Granted = Parameters<typeof grantsOf>[0];

/** Throws `validation_failed` for both forms at once, and for none. */
function subjectOf(applicationId: string | undefined, granted: Granted): Subject {
  const hasGrants = granted.permissions !== undefined || granted.rules !== undefined;
  if (hasGrants === (applicationId !== undefined))
    throw invalid('application_id', 'or permissions and rules are required, and not both');
  return applicationId === undefined ? { grants: grantsOf(granted) } : { applicationId };
}

/** Body of "explain access" (docs/contract.md#explain-access). */
export const explainBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      application_id: optional(text),
      ...grants(),
      permission: oneOf(names(TOKEN_PERMISSIONS)),
      container,
      through: optional(
        z.object(
          {
            proxies: optional(destinations),
            reactors: optional(destinations),
            callback_url: optional(text),
          },
          { error: 'must be an object' },
        ),
      ),
    }),
    z.transform((raw): Question => ({
      subject: subjectOf(raw.application_id, raw),
      right: rightOf(raw.permission, raw.through),
      container: raw.container,
    })),
  ),
);

const match = () => z.union([z.boolean(), z.literal('unknown')]);
const decider = () => z.nullable(z.union([z.int(), z.literal('permissions')]));

/** Describes the answer of "explain access" (docs/contract.md#explain-access). */
export const explanationResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      allowed: described(match(), '`unknown` if it depends on the id of the token.'),
      transform: described(z.nullable(transform()), '`null` without access, and if that is not known.'),
      decided_by: z.object({
        rule: described(decider(), 'The `priority` of the rule, or the top-level permissions.'),
      }),
      steps: z.array(
        z
          .object({
            rule: described(decider(), '`null` for a setting of the tenant.'),
            matched: match(),
            because: z.string(),
          })
          .check(z.meta({ id: 'ExplanationStep' })),
      ),
    })
    .check(
      z.meta({
        id: 'Explanation',
        examples: [
          {
            allowed: true,
            transform: 'mask',
            decided_by: { rule: 2 },
            steps: [
              { rule: 1, matched: false, because: 'It does not cover the container.' },
              {
                rule: 2,
                matched: true,
                because:
                  'It is the first that grants the permission and covers the container, so it decides.',
              },
            ],
          },
        ],
      }),
    ),
);

function deciderOf(candidate: ExplainedStep['candidate'] | undefined): number | 'permissions' | null {
  if (candidate === undefined || candidate === 'tenant') return null;
  return candidate === 'permissions' ? candidate : candidate.priority;
}

export const presentExplanation = ({
  allowed,
  transform: shown,
  decidedBy,
  steps,
}: Explanation): Response<typeof explanationResponse> => ({
  allowed,
  transform: shown ?? null,
  decided_by: { rule: deciderOf(decidedBy) },
  steps: steps.map(({ candidate, matched, because }) => ({ rule: deciderOf(candidate), matched, because })),
});

export const explainWords = (): Members => ({
  ...grantsWords(),
  application_id: 'An application of the tenant. Send it, or `permissions` and `rules`.',
  permissions: 'Top-level permissions that no application needs to have yet.',
  permission: 'A permission on tokens.',
  container: 'The container of a token. A token in several containers needs access in each of them.',
  through:
    'One destination of `token:use`. Without it, the answer is for the ephemeral proxy, whose caller names the destination.',
  'through.proxies': 'The id of a stored proxy.',
  'through.reactors': 'The id of a reactor.',
  'through.callback_url':
    'The address to which the result of the reactor goes. Without it, the caller itself reads the result.',
});
