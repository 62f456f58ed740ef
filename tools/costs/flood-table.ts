import { REACTOR_MEMORY_MB } from '../../src/core/reactors/layer.ts';
import { PRICES } from '../../lib/prices.ts';
import { parseSettings } from '../../lib/settings.ts';
import { countedUsage, table } from './request-tables.ts';
import { dollarsPerMillion, type RequestCosts, type Usage } from './request-costs.ts';

const HOUR_SECONDS = 3_600;
const WINDOW_SECONDS = 300;

/** Limits of AWS, all of them defaults (docs/storage.md#capacity). */
const LIMITS = {
  /** So many functions can run at the same time. */
  instances: 1_000,
  /** Requests a second of all APIs of a Region. */
  gateway: 10_000,
  tableWritesAtFirst: 4_000,
  /** The index `list` has eight partitions for each tenant. */
  listWrites: 8_000,
} as const;

/** A destination may take so long, in the contract. */
const SLOW_SECONDS = 25;
/** A `POST /tokenize` has so many tokens, of which a transaction takes two units each. */
const TOKENS = 100;
const TABLE_UNITS = 200;

/** A file of the card fields: one of the larger ones, compressed. */
const FILES = { bytes: 16_000, perSecond: 10_000 } as const;

/** The caller has no key that exists: the key is looked up, and nothing else. */
const REFUSED: Usage = {
  readUnits: 2,
  writeUnits: 0,
  sequential: 1,
  gatewayRequests: 1,
  reactorRuns: 0,
  waitsForOthers: false,
};

const hourly = (perSecond: number, million: number): number => (perSecond * HOUR_SECONDS * million) / 1e6;

type Row = readonly [who: string, by: string, limit: string, perSecond: string, dollars: number];

const row = (who: string, by: string, limit: string, perSecond: number, million: number): Row => [
  who,
  by,
  limit,
  String(Number(perSecond.toFixed(1))),
  hourly(perSecond, million),
];

/** Callers without a key get 401, or files. */
function anonymousRows(costs: RequestCosts): readonly Row[] {
  const { throttleRate, edgeRateLimit } = parseSettings({});
  const refused = dollarsPerMillion(REFUSED, costs).total;
  const { request, gigabyte } = PRICES.edge;
  const file = 1e6 * (request + (FILES.bytes / 2 ** 30) * gigabyte);
  const throughEdge = refused + 1e6 * (request + PRICES.webAclRequest);
  const open = 'no limit; at this rate';
  return [
    row('anyone', '401', '`throttleRate`', throttleRate, refused),
    row('anyone', '401', "the account's quota, if each route has its own limit", LIMITS.gateway, refused),
    row(
      'anyone, one address, with an edge',
      '401',
      '`edgeRateLimit`',
      edgeRateLimit / WINDOW_SECONDS,
      throughEdge,
    ),
    row('anyone, with an edge', '429 of the edge', open, LIMITS.gateway, 1e6 * PRICES.webAclRequest),
    row('anyone', 'files of card fields', open, FILES.perSecond, file),
  ];
}

/** A caller with a key has a row by the kind of it. */
function keyRows(performance: string, costs: RequestCosts): readonly Row[] {
  const tokenize = dollarsPerMillion(countedUsage(performance, 'tokenize 100'), costs).total;
  const { tableWritesAtFirst, listWrites, instances } = LIMITS;
  const { hotInstances: hot, edgePublicKeyRateLimit } = parseSettings({});
  const byKey = edgePublicKeyRateLimit / WINDOW_SECONDS;
  const slow = 1e6 * SLOW_SECONDS * costs.api.gigabytes * PRICES.gigabyteSecond;
  const hotSecond = (hot * REACTOR_MEMORY_MB * PRICES.provisionedGigabyteSecond.arm64) / 1_024;
  const account = 'the instances of the account';
  return [
    row(
      'a public key',
      '`POST /tokenize`, 100 tokens',
      'a new table',
      tableWritesAtFirst / TABLE_UNITS,
      tokenize,
    ),
    row(
      'a public key',
      'the same, half an hour later',
      'the list index of its tenant',
      listWrites / TOKENS,
      tokenize,
    ),
    row('a public key, one address, with an edge', 'the same', '`edgePublicKeyRateLimit`', byKey, tokenize),
    row('a private key', 'calls of a destination that takes 25 s', account, instances / SLOW_SECONDS, slow),
    [
      '`reactor:create`',
      `${String(hot)} reactors, called once a week`,
      '`hotInstances`',
      '',
      hotSecond * HOUR_SECONDS,
    ],
  ];
}

/** Prices an hour of a flood by each kind of caller, in dollars. */
export const floodTable = (performance: string, costs: RequestCosts): string =>
  table(
    ['Who', 'By', 'Limited by', 'Requests a second', 'Dollars an hour'],
    [...anonymousRows(costs), ...keyRows(performance, costs)],
  );
