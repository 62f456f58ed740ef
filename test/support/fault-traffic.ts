import { randomUUID } from 'node:crypto';
import { seededRandom } from '../../packages/local-aws/src/faults/seeded-random.ts';
import { answeredOf, type Answered } from './audit-completeness.ts';
import { send, type Answer, type Body, type CallOptions } from './http-client.ts';
import type { Existence, LedgerToken, TokenLedger } from './token-ledger.ts';

/** Where traffic goes, and what it uses there. */
export interface TrafficTarget {
  readonly baseUrl: string;
  readonly managementKey: string;
  /** A private application that sees everything. */
  readonly privateKey: string;
  readonly publicKey: string;
  /** A key of another tenant. */
  readonly strangerKey: string;
  /** Answers its arguments as `raw`. */
  readonly reactorId: string;
  /** An HTTPS destination that sends the body back. */
  readonly echoUrl: string;
  /**
   * Tokens that all clients share: one that each changes a member of, and data that each wants to
   * exist once.
   */
  readonly sharedId: string;
  readonly duplicates: readonly string[];
}

/** Everything that traffic learns, over all clients. */
export interface Findings {
  /** Answers by operation and status. */
  readonly counts: Map<string, number>;
  /** What must not have happened, in sentences. */
  readonly problems: string[];
  /** Ids answered for each of the duplicates. */
  readonly duplicateIds: Map<string, Set<string>>;
  /** Applications by their name, with their key if it is known. */
  readonly applications: Map<
    string,
    { readonly owner: string; exists: Existence; id?: string; key?: string }
  >;
  /** Every answer, by its trace id, with the tokens that it shows or that its request names. */
  readonly answered: Answered[];
  /** What each client may have left in its member of the shared token. */
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

/** Whether a failure is one that is documented for a fault. */
export type IsExpectedFailure = (operation: string, answer: Answer) => boolean;

const isProblem = ({ body }: Answer, operation: string): boolean => {
  const problem = operation === 'proxy' ? body?.proxy_error : body;
  return typeof problem?.title === 'string' && typeof problem?.status === 'number';
};

/** 503 and 429 with `Retry-After`, and 409, in the error shape. */
export const isClearFailure: IsExpectedFailure = (operation, answer) =>
  isProblem(answer, operation) &&
  (answer.status === 409 ||
    ([503, 429].includes(answer.status) && Number(answer.headers.get('retry-after')) > 0));

type Operation = (client: Client) => Promise<void>;

/** One caller that does one thing after the other, all with tokens of its own. */
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
   * A request whose answer must be one of `good`, or a failure that may be. Resolves to undefined
   * for a failure.
   */
  async send(
    operation: string,
    good: readonly number[],
    key: string,
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Answer | undefined> {
    const answer = await send(this.target.baseUrl, key, method, path, options);
    this.findings.answered.push(answeredOf(operation, key, answer, options));
    const counted = `${operation} ${String(answer.status)}`;
    this.findings.counts.set(counted, (this.findings.counts.get(counted) ?? 0) + 1);
    if (good.includes(answer.status)) return answer;
    if (!this.#isExpected(operation, answer))
      this.problem(
        `${operation} ${method} ${path} answered ${String(answer.status)} ${JSON.stringify(answer.body)} retry-after ${String(answer.headers.get('retry-after'))}`,
      );
    return undefined;
  }

  /** A token of this client that may be there, and whose id is known. */
  aToken(): (LedgerToken & { id: string }) | undefined {
    const own = this.ledger.tokens.filter(
      (token): token is LedgerToken & { id: string } => token.id !== undefined && token.exists !== 'no',
    );
    return this.pick(own);
  }

  /**
   * Checks what an answer says of a token's data. What was read stays: nothing else may be read
   * later.
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

  /** 404 where the token may be gone. */
  isGone(operation: string, token: LedgerToken): void {
    if (token.exists === 'yes') this.problem(`${operation}: ${token.mark} is not found, and is there`);
    token.exists = 'no';
  }

  /** Operations of the mix as they are drawn, until a time in ms. */
  async run(until: number): Promise<void> {
    while (Date.now() < until) await this.pick(MIX)?.(this);
  }

  /**
   * What clients that begin at once must not take from one another, then each operation of the mix,
   * as often as it is in there, in an order that is drawn.
   */
  async runMix(): Promise<void> {
    await Promise.all([updateShared(this), deduplicate(this)]);
    const left = [...MIX];
    while (left.length > 0) {
      const [operation] = left.splice(Math.floor(this.#random() * left.length), 1);
      await operation?.(this);
    }
  }

  /** Some operations again, with a token that they can be done with. */
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
  const answer = await client.send('create', [201], client.target.privateKey, 'POST', '/tokens', { body });
  if (answer) created(client, 'create', token, answer.body);
};

/** Tries until it succeeds, and once more: one key makes one token. */
const createWithKey: Operation = async (client) => {
  const token = client.ledger.begin({ isIndexed: client.pick([true, false]) ?? false });
  const options = { body: bodyOf(client, token), headers: { 'SVC-IDEMPOTENCY-KEY': randomUUID() } };
  let successes = 0;
  for (let tries = 0; tries < 6 && successes < 2; tries += 1) {
    const answer = await client.send(
      'create-key',
      [201],
      client.target.privateKey,
      'POST',
      '/tokens',
      options,
    );
    if (!answer) continue;
    successes += 1;
    created(client, 'create-key', token, answer.body);
  }
};

const update: Operation = async (client) => {
  const token = client.aToken();
  if (!token) return;
  token.revision += 1;
  const data = `${token.mark}#${String(token.revision)}`;
  token.data.add(data);
  const path = `/tokens/${token.id}`;
  const answer = await client.send('update', [200, 404], client.target.privateKey, 'PATCH', path, {
    body: { data },
  });
  if (answer?.status === 404) client.isGone('update', token);
  if (answer?.status !== 200) return;
  token.data = new Set([data]);
  client.sees('update', token, answer.body.data);
};

/** With a key a repeated update must answer what the first one did. */
const updateWithKey: Operation = async (client) => {
  const token = client.aToken();
  if (token?.exists !== 'yes') return;
  token.revision += 1;
  const data = `${token.mark}#${String(token.revision)}`;
  token.data.add(data);
  const options = { body: { data }, headers: { 'SVC-IDEMPOTENCY-KEY': randomUUID() } };
  for (let tries = 0; tries < 4; tries += 1) {
    const path = `/tokens/${token.id}`;
    const answer = await client.send('update-key', [200], client.target.privateKey, 'PATCH', path, options);
    if (!answer) continue;
    token.data = new Set([data]);
    client.sees('update-key', token, answer.body.data);
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
  const answer = await client.send('delete', [204, 404], client.target.privateKey, 'DELETE', path);
  if (answer?.status === 404 && before === 'yes')
    client.problem(`delete: ${token.mark} is not found, and was there`);
  if (answer) token.exists = 'no';
};

const get: Operation = async (client) => {
  const token = client.aToken();
  if (!token) return;
  const answer = await client.send('get', [200, 404], client.target.privateKey, 'GET', `/tokens/${token.id}`);
  if (answer?.status === 404) client.isGone('get', token);
  if (answer?.status !== 200) return;
  if (answer.body.id !== token.id) client.problem(`get of ${token.id} gave ${String(answer.body.id)}`);
  client.sees('get', token, answer.body.data);
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
  const answer = await client.send('detokenize', [200], client.target.privateKey, 'POST', '/detokenize', {
    body,
  });
  for (const token of tokens) if (answer && token) client.sees('detokenize', token, answer.body[token.mark]);
};

const search: Operation = async (client) => {
  const token = client.aToken();
  if (!token?.isIndexed) return;
  const wasThere = token.exists === 'yes';
  const body = { query: `metadata.mark:"${token.mark}"` };
  const answer = await client.send('search', [200], client.target.privateKey, 'POST', '/tokens/search', {
    body,
  });
  if (!answer) return;
  const ids = (answer.body.data as Body[]).map(({ id }) => id as string);
  if (ids.some((id) => id !== token.id) || ids.length > 1)
    client.problem(`search for ${token.mark} found ${ids.join(', ')}`);
  if (wasThere && ids.length === 0) client.problem(`search does not find ${token.mark}`);
  for (const found of answer.body.data as Body[]) client.sees('search', token, found.data);
};

const list: Operation = async (client) => {
  const there = client.ledger.tokens.filter(({ isIndexed, exists }) => isIndexed && exists === 'yes');
  const path = `/tokens?size=100&metadata.owner=${client.name}`;
  const answer = await client.send('list', [200], client.target.privateKey, 'GET', path);
  if (!answer) return;
  const found = answer.body.data as Body[];
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
  const answer = await client.send('tokenize', [200], client.target.privateKey, 'POST', '/tokenize', {
    body,
  });
  if (!answer) return;
  tokens.forEach((token, index) => created(client, 'tokenize', token, answer.body[`m${String(index)}`]));
};

const deduplicate: Operation = async (client) => {
  const data = client.pick(client.target.duplicates) ?? '';
  const body = { type: 'token', data, deduplicate_token: true };
  const answer = await client.send('deduplicate', [201], client.target.privateKey, 'POST', '/tokens', {
    body,
  });
  if (!answer) return;
  const ids = client.findings.duplicateIds.get(data) ?? new Set();
  client.findings.duplicateIds.set(data, ids.add(answer.body.id as string));
};

/** Every client has a member of its own in one token: no update may lose another's. */
const updateShared: Operation = async (client) => {
  const known = client.findings.shared.get(client.name) ?? new Set([0]);
  const next = Math.max(...known) + 1;
  client.findings.shared.set(client.name, new Set([...known, next]));
  const path = `/tokens/${client.target.sharedId}`;
  const body = { data: { [client.name]: next } };
  const answer = await client.send('update-shared', [200], client.target.privateKey, 'PATCH', path, { body });
  if (answer) client.findings.shared.set(client.name, new Set([next]));
};

const proxy: Operation = async (client) => {
  const token = client.aToken();
  if (token?.exists !== 'yes') return;
  const options = {
    body: { value: `{{ ${token.id} }}` },
    headers: { 'SVC-PROXY-URL': client.target.echoUrl },
  };
  const answer = await client.send('proxy', [200], client.target.privateKey, 'POST', '/proxy', options);
  if (answer) client.sees('proxy', token, answer.body.value);
};

const react: Operation = async (client) => {
  const token = client.aToken();
  if (token?.exists !== 'yes') return;
  const path = `/reactors/${client.target.reactorId}/react`;
  const body = { args: { value: `{{ ${token.id} }}` } };
  const answer = await client.send('react', [200], client.target.privateKey, 'POST', path, { body });
  if (answer) client.sees('react', token, answer.body.raw?.value);
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
    const answer = await client.send(
      'application',
      [201],
      client.target.managementKey,
      'POST',
      '/applications',
      options,
    );
    if (!answer) continue;
    const { id, key } = answer.body as { id: string; key: string };
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
  const answer = await client.send(
    'application-delete',
    [204, 404],
    client.target.managementKey,
    'DELETE',
    path,
  );
  if (!answer) return;
  if (answer.status === 404)
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

/** Operations of which at least one must have come to its end, by the names of their counts. */
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

/** One of each, as fast as a healthy service takes them. Resolves with what is not well yet. */
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
