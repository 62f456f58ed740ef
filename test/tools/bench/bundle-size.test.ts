import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { bundleOf, FUNCTIONS, referenceBundle } from '../../../tools/bench/cold-start/bundles.ts';

/**
 * KB that an instance reads before its first response, beyond the SDK clients. Raise a limit by
 * what an import costs (`npm run bench -- cold-start`) if it is worth it; lower it after a removal.
 */
const LIMITS_KB = {
  // Every API function reads the spellings of clients in the field (5 KB). Those with expressions
  // describe their syntax errors (4 KB), and the proxy names them by their path (2 KB). The sender
  // reports each attempt (3 KB), and all that read invocations know its reason (1 KB). All encode
  // records (2 KB); logs searches their index (14 KB), the sealer makes it and checks its
  // statements by zod (24 KB), and the operator checks it and how tables are protected (45 KB).
  // Functions at module level name what they share, which closures do not (1 to 4 KB), and each
  // port states its effects (2 KB). Clock, random values, connections and log are injected (2 KB).
  // Each step of a write checks that it is not late, a repeat knows its deleted tokens, and the
  // operator's part of the store deletes what remembers them (5 KB). A repeat finds each of its
  // tokens under any of its ids (1 to 2 KB). Keys have networks (ipaddr.js, 4 KB), a last use, and
  // tombstones, and their rejections are counted by tenant (6 KB); applications has their routes
  // (9 KB). Uses have a way, and views a bound (3 KB); the sender decides a delivery by the tokens
  // of now (44 KB), and applications explains access (6 KB). Every function behind the API reads
  // the key of a proxy (4 KB); the proxy runs stored ones, which make tokens and run reactors
  // (133 KB); the operator encrypts them again. All that read invocations have the index of parked
  // deliveries (1 to 2 KB), which reactors lists and sends again (3 KB). Lists of tokens and of
  // applications have a filter more, and writes of tokens a bound of their view (1 KB). A token can
  // be no match (1 KB). Responses of the proxy leave without what a browser acts on (3 KB). A
  // revoked key ends what it started (1 to 3 KB). Lists read small items of proxies, whose deleted
  // keys have items (2 to 4 KB); conditions are bounded, and refusals name their tokens (3 KB). A
  // proxy hides headers, counts its searches, and searches for secrets of before (12 to 28 KB).
  // Filters have parameters (4 to 6 KB), and stored proxies receive any shape (5 to 8 KB).
  // Results have addresses (1 to 2 KB), which applications checks as destinations (7 KB). Records
  // are filtered by form, older cards get an index (1 to 2 KB), and a search says what is wrong
  // with its query (1 KB). Routing numbers have prefixes, and refusals of zeros their reason
  // (0.3 KB). Errors name the places of unknown tokens, filters that other languages name
  // differently, and what is wrong with values of a stored proxy (1 KB). Arguments have kinds, and
  // refusals of expressions, searches and bodies their places (3 to 5 KB). Each transform of a
  // proxy has a schema of its own (7 KB). The clients of the reference have no p-limit, which the
  // trail needs (1 to 3 KB). Keys have two reports (0.3 KB). Functions of reactors have a layer,
  // tags, and those of the deployment (1 to 3 KB), and are made again (1 KB). The last key
  // that manages is found (1 to 2 KB). Calls of reactors are noted, and reactors counted (3 KB);
  // the sweeper hands out running instances (12 KB), in the numbers that reactors ask for (5 KB);
  // the operator allows more of them (2 KB), and commands have one name more (1 KB). Reactors have
  // images, and name the proxies that a change of code stops (11 KB). They bring packages, whose
  // reader is loaded when a request has some (22 KB), the operator finds those that have one
  // (3 KB), and all that have their store write them in parts beside their records (2 KB).
  // Resources have names that are items, states, and labels (4 KB, and where they change 8 to
  // 12 KB). A create names all ids that it cannot give (2 KB).
  tokens: 405,
  applications: 285,
  proxies: 403,
  proxy: 563,
  reactors: 517,
  'reactor-worker': 389,
  'webhook-sender': 263,
  sweeper: 182,
  // It derives the search terms of tokens again when a root is replaced, and so evaluates
  // expressions; and it logs records that do not open. It reads and checks the audit trail, and it
  // makes and wraps roots (5 KB). It starts rolls, and lists reactors by their layer (12 KB).
  operator: 437,
  // It creates and destroys tenants, with all stores of what a tenant has, and makes their keys.
  'operator-access': 261,
  // It moves reactors to another layer, and has stores of reactors alone.
  republisher: 121,
  logs: 254,
  'audit-sealer': 103,
} as const satisfies Readonly<Record<(typeof FUNCTIONS)[number], number>>;

it('the benchmark of starts measures each bundle of functions/ once', () => {
  expect(FUNCTIONS.toSorted()).toEqual(readdirSync('functions').toSorted());
});

const bundles = new Map<string, ReturnType<typeof bundleOf>>();

/** The bundle of a function, made once. */
function bundle(name: (typeof FUNCTIONS)[number]): ReturnType<typeof bundleOf> {
  const made = bundles.get(name) ?? bundleOf(name);
  bundles.set(name, made);
  return made;
}

const references = new Map<string, number>();

/** Bytes of a bundle of just these clients. */
function referenceBytes(clients: readonly string[]): number {
  const id = clients.join();
  const bytes = references.get(id) ?? referenceBundle(clients, { asOurs: true }).bytes;
  references.set(id, bytes);
  return bytes;
}

it.each(FUNCTIONS)('the bundle of %s contains little in addition to the SDK clients that it uses', (name) => {
  const { bytes, clients } = bundle(name);
  const beside = Math.ceil((bytes - referenceBytes(clients)) / 1024);
  expect(beside).toBeLessThanOrEqual(LIMITS_KB[name]);
});

/** Finds the words that schemas of the OpenAPI document have about their members. */
function descriptions(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'description' && typeof member === 'string' ? [member] : descriptions(member),
  );
}

it.each(FUNCTIONS)('the bundle of %s has no description of a member of the OpenAPI document', (name) => {
  const { components } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  // One sentence of all members that cannot change is in their schema, since no word list has it.
  const sentences = [...new Set(descriptions(components.schemas))].filter(
    (text) => text.length > 30 && !text.startsWith('Cannot change:'),
  );
  expect(sentences.length).toBeGreaterThan(50);
  const source = readFileSync(bundle(name).file, 'utf8');
  expect(sentences.filter((text) => source.includes(text))).toEqual([]);
});

/** Has the variables of every function. No server listens at the address. */
const ENVIRONMENT = {
  ACCESS_TABLE: 'A',
  EPHEMERAL_TABLE: 'E',
  TOKENS_TABLE: 'T',
  REACTORS_TABLE: 'R',
  KEY_ID: 'K',
  CLIENT_COMPATIBILITY: 'strict',
  HEADER_PREFIXES: 'SVC',
  DOCS_URL: '',
  EDGE_SECRET: '',
  EGRESS_ALLOW_LIST: '',
  CVC_LIFETIME_SECONDS: '3600',
  KEY_ROTATION_DAYS: '90',
  HOT_CONCURRENCY: '1',
  HOT_INSTANCES: '100',
  REACTORS_PER_TENANT: '100',
  RESOURCE_TAGS: '',
  REACTOR_FUNCTION_PREFIX: 'P',
  REACTOR_ROLE: 'R',
  REACTORS_FUNCTION: 'F',
  REACTOR_LAYERS: 'node16=L:1,node24=L:1',
  REACTOR_IMAGES: 'node16,node24',
  REACTOR_PACKAGES: 'allowed',
  REACTOR_LAYER_NAMES: 'node16=L,node24=L24',
  REACTOR_LAYER_HASHES: 'node16=H,node24=H',
  REPUBLISHER: 'R',
  REACTOR_ARCHITECTURE: 'arm64',
  INVOCATIONS_QUEUE_URL: 'http://127.0.0.1:1/q',
  DELIVERIES_QUEUE_URL: 'http://127.0.0.1:1/q',
  AUDIT_TABLE: 'A',
  AUDIT_RETENTION_DAYS: '400',
  AUDIT_SEALS_TABLE: 'S',
  AUDIT_INDEX_TABLE: 'I',
  SEAL_KEY_ID: 'K',
  PUBLIC_URL: '',
  PROXY_REDIRECTS: 'told',
  SERVICE_NAME: 'S',
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
};

const START = `
if (require(process.argv[1]).handler === undefined) throw new Error('no handler');
console.log(Object.keys(require.cache).length);
process.exit(0);
`;

it.each(FUNCTIONS)('a start of %s loads one file', (name) => {
  const files = execFileSync(process.execPath, ['-e', START, bundle(name).file], {
    env: ENVIRONMENT,
    encoding: 'utf8',
  });
  expect(files.trim()).toBe('1');
});
