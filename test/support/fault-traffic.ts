import { randomUUID } from 'node:crypto';
import { seededRandom } from '../../packages/local-aws/src/faults/seeded-random.ts';
import { answeredOf, type Answered } from './audit-completeness.ts';
import { send, type ApiResponse, type Body, type CallOptions } from './http-client.ts';
import type { Existence, LedgerToken, TokenLedger } from './token-ledger.ts';

/** The service that receives the traffic, and the resources to use there. */
export interface TrafficTarget {
  readonly baseUrl: string;
  readonly managementKey: string;
  /** A private application that sees everything. */
  readonly privateKey: string;
  readonly publicKey: string;
  /** A key that belongs to another tenant. */
  readonly strangerKey: string;
  /** Returns its arguments as `raw`. */
  readonly reactorId: string;
  /** An HTTPS destination that sends the body back. */
  readonly echoUrl: string;
  /**
   * Tokens that all clients share: one in which each client changes a member, and data that each
   * client wants to exist only once.
   */
  readonly sharedId: string;
  readonly duplicates: readonly string[];
}

/** What all clients observed. */
export interface Findings {
  /** Number of responses by operation and status. */
  readonly counts: Map<string, number>;
  /** Violations, in sentences. */
  readonly problems: string[];
  /** Ids in responses for each of the duplicates. */
  readonly duplicateIds: Map<string, Set<string>>;
  /** Applications by their name, with their key if it is known. */
  readonly applications: Map<
    string,
    { readonly owner: string; exists: Existence; id?: string; key?: string }
  >;
  /** Every response, by its trace id, with the tokens that it shows or that its request names. */
  readonly answered: Answered[];
  /** The values that each client may have left in its member of the shared token. */
  readonly shared: Map<string, Set<number>>;
}

export const noFindings = (): Findings => ({
  counts: new Map(),
  problems: [],
  duplicateIds: new Map(),
  applications: new Map(),
  answered: [],
  shared: new Map(),
});

/** Whether a failure is documented for a fault. */
export type IsExpectedFailure = (operation: string, response: ApiResponse) => boolean;

const isProblem = ({ body }: ApiResponse, operation: string): boolean => {
  const problem = operation === 'proxy' ? body?.proxy_error : body;
  return typeof problem?.title === 'string' && typeof problem?.status === 'number';
};

/** 503 and 429 with `Retry-After`, and 409, in the error shape. */
export const isClearFailure: IsExpectedFailure = (operation, response) =>
  isProblem(response, operation) &&
  (response.status === 409 ||
    ([503, 429].includes(response.status) && Number(response.headers.get('retry-after')) > 0));

type Operation = (client: Client) => Promise<void>;

/** One caller that makes one request after the other, with tokens of its own. */
export class Client {
  readonly name: string;
  readonly ledger: TokenLedger;
  readonly target: TrafficTarget;
  readonly findings: Findings;
  readonly #random: () => number;
  readonly #isExpected: IsExpectedFailure;

  constructor(
    name: string,
    ledger: TokenLedger,
    target: TrafficTarget,
    findings: Findings,
    isExpected: IsExpectedFailure,
    seed: number,
  ) {
    this.name = name;
    this.ledger = ledger;
    this.target = target;
    this.findings = findings;
    this.#isExpected = isExpected;
    this.#random = seededRandom(seed);
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }

  problem(text: string): void {
    this.findings.problems.push(`${this.name}: ${text}`);
  }

  /**
   * A request whose response must be one of `good`, or a permitted failure. Resolves to undefined
   * for a failure.
   */
  async send(
    operation: string,
    good: readonly number[],
    key: string,
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<ApiResponse | undefined> {
    const response = await send(this.target.baseUrl, key, method, path, options);
    this.findings.answered.push(answeredOf(operation, key, response, options));
    const counted = `${operation} ${String(response.status)}`;
    this.findings.counts.set(counted, (this.findings.counts.get(counted) ?? 0) + 1);
    if (good.includes(response.status)) return response;
    if (!this.#isExpected(operation, response))
      this.problem(
        `${operation} ${method} ${path} answered ${String(response.status)} ${JSON.stringify(response.body)} retry-after ${String(response.headers.get('retry-after'))}`,
      );
    return undefined;
  }

  /** A token of this client that may exist, and whose id is known. */
  aToken(): (LedgerToken & { id: string }) | undefined {
    const own = this.ledger.tokens.filter(
      (token): token is LedgerToken & { id: string } => token.id !== undefined && token.exists !== 'no',
    );
    return this.pick(own);
  }

  /**
   * Checks a token's data in a response. A value that was read is final: no later read may return
   * another one.
   */
  sees(operation: string, token: LedgerToken, data: unknown): void {
    if (typeof data !== 'string' || !token.data.has(data)) {
      this.problem(
        `${operation} of ${token.mark} gave ${JSON.stringify(data)}, not ${[...token.data].join(' or ')}`,
      );
      return;
    }
    token.data = new Set([data]);
    token.exists = 'yes';
  }

  /** 404 if the token may be deleted. */
  isGone(operation: string, token: LedgerToken): void {
    if (token.exists === 'yes') this.problem(`${operation}: ${token.mark} is not found, and is there`);
    token.exists = 'no';
  }

  /** Runs random operations of the mix until a time in ms. */
  async run(until: number): Promise<void> {
    while (Date.now() < until) await this.pick(MIX)?.(this);
  }

  /**
   * Runs the operations in which concurrent clients compete, then each operation of the mix, as
   * often as it occurs there, in random order.
   */
  async runMix(): Promise<void> {
    await Promise.all([updateShared(this), deduplicate(this)]);
    const left = [...MIX];
    while (left.length > 0) {
      const [operation] = left.splice(Math.floor(this.#random() * left.length), 1);
      await operation?.(this);
    }
  }

  /** Repeats some operations, each with a suitable token. */
  async runAgain(names: readonly Checked[]): Promise<void> {
    await create(this);
    if (names.includes('get-deleted')) await remove(this);
    for (const name of names) await CHECKED[name](this);
  }
}

function bodyOf(client: Client, token: LedgerToken): Record<string, unknown> {
  return {
    type: 'token',
    data: `${token.mark}#0`,
    ...(token.isIndexed && {
      metadata: { mark: token.mark, owner: client.name },
      search_indexes: ['{{ data }}'],
    }),
  };
}

function created(client: Client, operation: string, token: LedgerToken, body: Body): void {
  token.exists = 'yes';
  if (token.id !== undefined && token.id !== body.id)
    client.problem(`${operation}: ${token.mark} was ${token.id} and is now ${String(body.id)}`);
  token.id = body.id as string;
  client.sees(operation, token, body.data);
}

const create: Operation = async (client) => {
  const token = client.ledger.begin({ isIndexed: client.pick([true, false]) ?? false });
  const body = bodyOf(client, token);
  const response = await client.send('create', [201], client.target.privateKey, 'POST', '/tokens', { body });
  if (response) created(client, 'create', token, response.body);
};

/** Retries until it succeeds, and repeats once more: one key makes one token. */
const createWithKey: Operation = async (client) => {
  const token = client.ledger.begin({ isIndexed: client.pick([true, false]) ?? false });
  const options = { body: bodyOf(client, token), headers: { 'SVC-IDEMPOTENCY-KEY': randomUUID() } };
  let successes = 0;
  for (let tries = 0; tries < 6 && successes < 2; tries += 1) {
    const response = await client.send(
      'create-key',
      [201],
      client.target.privateKey,
      'POST',
      '/tokens',
      options,
    );
    if (!response) continue;
    successes += 1;
    created(client, 'create-key', token, response.body);
  }
};

const update: Operation = async (client) => {
  const token = client.aToken();
  if (!token) return;
  token.revision += 1;
  const data = `${token.mark}#${String(token.revision)}`;
  token.data.add(data);
  const path = `/tokens/${token.id}`;
  const response = await client.send('update', [200, 404], client.target.privateKey, 'PATCH', path, {
    body: { data },
  });
  if (response?.status === 404) client.isGone('update', token);
  if (response?.status !== 200) return;
  token.data = new Set([data]);
  client.sees('update', token, response.body.data);
};

/** With a key, a repeated update must have the response of the first one. */
const updateWithKey: Operation = async (client) => {
  const token = client.aToken();
  if (token?.exists !== 'yes') return;
  token.revision += 1;
  const data = `${token.mark}#${String(token.revision)}`;
  token.data.add(data);
  const options = { body: { data }, headers: { 'SVC-IDEMPOTENCY-KEY': randomUUID() } };
  for (let tries = 0; tries < 4; tries += 1) {
    const path = `/tokens/${token.id}`;
    const response = await client.send('update-key', [200], client.target.privateKey, 'PATCH', path, options);
    if (!response) continue;
    token.data = new Set([data]);
    client.sees('update-key', token, response.body.data);
    return;
  }
};

const remove: Operation = async (client) => {
  const token = client.aToken();
  if (!token) return;
  const path = `/tokens/${token.id}`;
  const before = token.exists;
  token.exists = 'maybe';
  token.isDeleted = true;
  const response = await client.send('delete', [204, 404], client.target.privateKey, 'DELETE', path);
  if (response?.status === 404 && before === 'yes')
    client.problem(`delete: ${token.mark} is not found, and was there`);
  if (response) token.exists = 'no';
};

const get: Operation = async (client) => {
  const token = client.aToken();
  if (!token) return;
  const response = await client.send(
    'get',
    [200, 404],
    client.target.privateKey,
    'GET',
    `/tokens/${token.id}`,
  );
  if (response?.status === 404) client.isGone('get', token);
  if (response?.status !== 200) return;
  if (response.body.id !== token.id) client.problem(`get of ${token.id} gave ${String(response.body.id)}`);
  client.sees('get', token, response.body.data);
};

const getDeleted: Operation = async (client) => {
  const token = client.pick(
    client.ledger.tokens.filter(({ exists, id }) => exists === 'no' && id !== undefined),
  );
  if (token?.id === undefined) return;
  await client.send('get-deleted', [404], client.target.privateKey, 'GET', `/tokens/${token.id}`);
};

const getAsStranger: Operation = async (client) => {
  const token = client.aToken();
  if (!token) return;
  await client.send('get-stranger', [404], client.target.strangerKey, 'GET', `/tokens/${token.id}`);
};

const detokenize: Operation = async (client) => {
  const tokens = [client.aToken(), client.aToken()].filter((token) => token?.exists === 'yes');
  const body = Object.fromEntries(tokens.map((token) => [token?.mark, `{{ ${String(token?.id)} }}`]));
  const response = await client.send('detokenize', [200], client.target.privateKey, 'POST', '/detokenize', {
    body,
  });
  for (const token of tokens)
    if (response && token) client.sees('detokenize', token, response.body[token.mark]);
};

const search: Operation = async (client) => {
  const token = client.aToken();
  if (!token?.isIndexed) return;
  const wasThere = token.exists === 'yes';
  const body = { query: `metadata.mark:"${token.mark}"` };
  const response = await client.send('search', [200], client.target.privateKey, 'POST', '/tokens/search', {
    body,
  });
  if (!response) return;
  const ids = (response.body.data as Body[]).map(({ id }) => id as string);
  if (ids.some((id) => id !== token.id) || ids.length > 1)
    client.problem(`search for ${token.mark} found ${ids.join(', ')}`);
  if (wasThere && ids.length === 0) client.problem(`search does not find ${token.mark}`);
  for (const found of response.body.data as Body[]) client.sees('search', token, found.data);
};

const list: Operation = async (client) => {
  const there = client.ledger.tokens.filter(({ isIndexed, exists }) => isIndexed && exists === 'yes');
  const path = `/tokens?size=100&metadata.owner=${client.name}`;
  const response = await client.send('list', [200], client.target.privateKey, 'GET', path);
  if (!response) return;
  const found = response.body.data as Body[];
  const ids = found.map(({ id }) => id as string);
  if (new Set(ids).size !== ids.length) client.problem('list shows a token twice');
  for (const { id, data } of found) {
    const token = client.ledger.tokens.find(({ mark }) => mark === String(data).split('#')[0]);
    if (!token || token.exists === 'no') client.problem(`list shows ${String(id)} (${String(data)})`);
    else client.sees('list', token, data);
  }
  if (found.length < 100)
    for (const { id, mark } of there) if (!ids.includes(id ?? '')) client.problem(`list lacks ${mark}`);
};

const tokenize: Operation = async (client) => {
  const group = randomUUID();
  const tokens = [false, true, false].map((isIndexed) => client.ledger.begin({ isIndexed, group }));
  const body = Object.fromEntries(tokens.map((token, index) => [`m${String(index)}`, bodyOf(client, token)]));
  const response = await client.send('tokenize', [200], client.target.privateKey, 'POST', '/tokenize', {
    body,
  });
  if (!response) return;
  tokens.forEach((token, index) => created(client, 'tokenize', token, response.body[`m${String(index)}`]));
};

const deduplicate: Operation = async (client) => {
  const data = client.pick(client.target.duplicates) ?? '';
  const body = { type: 'token', data, deduplicate_token: true };
  const response = await client.send('deduplicate', [201], client.target.privateKey, 'POST', '/tokens', {
    body,
  });
  if (!response) return;
  const ids = client.findings.duplicateIds.get(data) ?? new Set();
  client.findings.duplicateIds.set(data, ids.add(response.body.id as string));
};

/** Every client has its own member in one token: no update may lose another's. */
const updateShared: Operation = async (client) => {
  const known = client.findings.shared.get(client.name) ?? new Set([0]);
  const next = Math.max(...known) + 1;
  client.findings.shared.set(client.name, new Set([...known, next]));
  const path = `/tokens/${client.target.sharedId}`;
  const body = { data: { [client.name]: next } };
  const response = await client.send('update-shared', [200], client.target.privateKey, 'PATCH', path, {
    body,
  });
  if (response) client.findings.shared.set(client.name, new Set([next]));
};

const proxy: Operation = async (client) => {
  const token = client.aToken();
  if (token?.exists !== 'yes') return;
  const options = {
    body: { value: `{{ ${token.id} }}` },
    headers: { 'SVC-PROXY-URL': client.target.echoUrl },
  };
  const response = await client.send('proxy', [200], client.target.privateKey, 'POST', '/proxy', options);
  if (response) client.sees('proxy', token, response.body.value);
};

const react: Operation = async (client) => {
  const token = client.aToken();
  if (token?.exists !== 'yes') return;
  const path = `/reactors/${client.target.reactorId}/react`;
  const body = { args: { value: `{{ ${token.id} }}` } };
  const response = await client.send('react', [200], client.target.privateKey, 'POST', path, { body });
  if (response) client.sees('react', token, response.body.raw?.value);
};

const session: Operation = async (client) => {
  const token = client.aToken();
  if (token?.exists !== 'yes') return;
  const begun = await client.send('session', [201], client.target.publicKey, 'POST', '/sessions');
  if (!begun) return;
  const rules = [
    {
      priority: 1,
      transform: 'reveal',
      permissions: ['token:read'],
      conditions: [{ attribute: 'id', operator: 'equals', value: token.id }],
    },
  ];
  const options = { body: { nonce: begun.body.nonce, rules } };
  const authorized = await client.send(
    'authorize',
    [200],
    client.target.privateKey,
    'POST',
    '/sessions/authorize',
    options,
  );
  if (!authorized) return;
  const read = await client.send('session-get', [200], begun.body.session_key, 'GET', `/tokens/${token.id}`);
  if (read) client.sees('session-get', token, read.body.data);
};

const createApplication: Operation = async (client) => {
  const name = `app ${randomUUID()}`;
  client.findings.applications.set(name, { owner: client.name, exists: 'maybe' });
  const options = {
    body: { name, type: 'private', permissions: ['token:read'] },
    headers: { 'SVC-IDEMPOTENCY-KEY': randomUUID() },
  };
  for (let tries = 0; tries < 3; tries += 1) {
    const response = await client.send(
      'application',
      [201],
      client.target.managementKey,
      'POST',
      '/applications',
      options,
    );
    if (!response) continue;
    const { id, key } = response.body as { id: string; key: string };
    client.findings.applications.set(name, { owner: client.name, exists: 'yes', id, key });
    await client.send('application-key', [200], key, 'GET', '/permissions');
    return;
  }
};

const deleteApplication: Operation = async (client) => {
  const there = [...client.findings.applications.values()].filter(
    ({ owner, exists, id }) => owner === client.name && exists === 'yes' && id,
  );
  const application = client.pick(there);
  if (!application) return;
  application.exists = 'maybe';
  const path = `/applications/${String(application.id)}`;
  const response = await client.send(
    'application-delete',
    [204, 404],
    client.target.managementKey,
    'DELETE',
    path,
  );
  if (!response) return;
  if (response.status === 404)
    client.problem(`delete: application ${String(application.id)} is not found, and was there`);
  application.exists = 'no';
  await client.send('application-gone', [401], application.key ?? '', 'GET', '/permissions');
};

const MIX: readonly Operation[] = [
  create,
  create,
  create,
  createWithKey,
  createWithKey,
  update,
  update,
  updateWithKey,
  remove,
  get,
  get,
  getDeleted,
  getAsStranger,
  detokenize,
  search,
  list,
  tokenize,
  deduplicate,
  updateShared,
  proxy,
  react,
  session,
  createApplication,
  deleteApplication,
];

/** Operations of which at least one must have completed, by the names of their counts. */
const CHECKED = {
  create,
  get,
  'get-deleted': getDeleted,
  proxy,
  react,
  search,
  'update-shared': updateShared,
  deduplicate,
  list,
} as const satisfies Readonly<Record<string, Operation>>;

export type Checked = keyof typeof CHECKED;
export const CHECKED_OPERATIONS = Object.keys(CHECKED) as readonly Checked[];

/** One of each operation, as fast as a healthy service accepts them. Resolves with the problems. */
export async function probe(client: Client): Promise<readonly string[]> {
  const before = client.findings.counts;
  const snapshot = new Map(before);
  for (const operation of new Set(MIX)) await operation(client);
  return [...before]
    .filter(
      ([counted, n]) =>
        / [45]\d\d$/.test(counted) && !/ 40[14]$/.test(counted) && n !== snapshot.get(counted),
    )
    .map(([counted]) => counted);
}
