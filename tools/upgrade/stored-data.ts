import { z } from 'zod';
import type { Deployment } from './deployment.ts';

/** Data that a release has stored, and how callers reach it. */
export interface StoredData {
  readonly key: string;
  readonly tokens: Readonly<Record<string, unknown>>;
  readonly reactorId: string;
}

const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2040 };

/** Tokens of every kind of storage: a card, one found by its terms, one in several parts. */
const TOKENS: readonly Readonly<Record<string, unknown>>[] = [
  { type: 'card', data: CARD },
  { type: 'token', data: 'ada@example.com', search_indexes: ['{{ data }}'], metadata: { of: 'customer' } },
  { type: 'token', data: 'x'.repeat(900_000) },
];

const created = z.looseObject({ id: z.string() });
const withKey = z.looseObject({ key: z.string() });

async function call(
  { baseUrl }: Deployment,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text.slice(0, 500)}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Leaves out the search indexes of a type, of which a release may have more than another. */
function asWritten(wanted: Readonly<Record<string, unknown>>, token: unknown): unknown {
  const { search_indexes: indexes, ...rest } = z.looseObject({}).parse(token);
  return wanted['search_indexes'] === undefined ? rest : { ...rest, search_indexes: indexes };
}

/** The members of one value that another one has. */
const membersIn = (expected: unknown, actual: unknown): unknown => {
  const found = z.looseObject({}).parse(actual);
  return Object.fromEntries(
    Object.keys(z.looseObject({}).parse(expected)).map((name) => [name, found[name]]),
  );
};

/** Stores tokens and a reactor through the interface of a deployment. */
export async function store(deployment: Deployment): Promise<StoredData> {
  const { key } = withKey.parse(
    await call(deployment, deployment.managementKey, 'POST', '/applications', {
      name: 'Upgrade',
      type: 'private',
      rules: [
        {
          description: 'all',
          priority: 1,
          container: '/',
          transform: 'reveal',
          permissions: ['token:create', 'token:read', 'token:search', 'token:use'],
        },
      ],
    }),
  );
  const reactor = created.parse(
    await call(deployment, deployment.managementKey, 'POST', '/reactors', {
      name: 'Upgrade',
      code: 'module.exports = async (req) => ({ raw: req.args })',
      configuration: {},
    }),
  );
  const tokens: Record<string, unknown> = {};
  for (const wanted of TOKENS) {
    const { id } = created.parse(await call(deployment, key, 'POST', '/tokens', wanted));
    tokens[id] = asWritten(wanted, await call(deployment, key, 'GET', `/tokens/${id}`));
  }
  return { key, tokens, reactorId: reactor.id };
}

/** Differences between what a release stored and what another one returns. */
export async function problemsWith(
  deployment: Deployment,
  { key, tokens, reactorId }: StoredData,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const compare = async (what: string, expected: unknown, actual: Promise<unknown>) => {
    try {
      if (JSON.stringify(await actual) !== JSON.stringify(expected)) problems.push(`${what} differs`);
    } catch (error) {
      problems.push(`${what}: ${(error as Error).message}`);
    }
  };
  for (const [id, token] of Object.entries(tokens))
    await compare(
      `token ${id}`,
      token,
      call(deployment, key, 'GET', `/tokens/${id}`).then((found) => membersIn(token, found)),
    );
  const listed = async (method: string, path: string, body?: unknown) => {
    const { data } = z
      .looseObject({ data: z.array(created) })
      .parse(await call(deployment, key, method, path, body));
    return data
      .map(({ id }) => id)
      .filter((id) => id in tokens)
      .toSorted();
  };
  await compare('the list of tokens', Object.keys(tokens).toSorted(), listed('GET', '/tokens'));
  const args = { of: 'another release' };
  await compare(
    'a run of the reactor',
    { raw: args },
    call(deployment, key, 'POST', `/reactors/${reactorId}/react`, { args }),
  );
  const trail = await deployment.operate('verify-audit').catch((error: unknown) => String(error));
  if (!trail.includes('intact')) problems.push(`the audit trail: ${trail}`);
  return problems;
}
