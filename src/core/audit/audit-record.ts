import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { sortableTime } from '../shared/position.ts';
import type { Random } from '../shared/platform.ts';

/**
 * How a token was shown, used or changed. With `refused`, the caller named it, but was shown
 * nothing. With `examined`, it was not shown, but decided a count, or that a search found nothing.
 */
export const FORMS = [
  'reveal',
  'mask',
  'redact',
  'identity',
  'examined',
  'use',
  'create',
  'update',
  'delete',
  'refused',
] as const;
export type Form = (typeof FORMS)[number];

/**
 * How a request ended (docs/contract.md#outcomes). A `begun` record precedes an effect, which
 * happened unless a later record with `of` says otherwise.
 */
export const OUTCOMES = ['begun', 'ok', 'refused', 'invalid', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * The trail for events outside any tenant. Its records have no MAC, because there is no tenant key.
 */
export const DEPLOYMENT = 'deployment';

/**
 * Whether a text has the form of a trail's id: a UUID or `deployment`. Any other text is not from
 * this service, and might not fit into a key or, once escaped, into a seal.
 */
export const isTrail = (text: string): boolean => /^[\w-]{1,36}$/.test(text);

/**
 * A change of an application, a reactor, a tenant or its keys. It contains names and never values.
 */
export interface Change {
  readonly members: readonly string[];
  readonly granted?: readonly string[];
  readonly withdrawn?: readonly string[];
  /** The digest of the packages that a reactor got. */
  readonly bundle?: string;
}

/**
 * The content of a record (docs/audit.md#record), which has ids, names and counts and never data.
 */
export interface AuditEntry {
  /** The first version of the root whose audit key made the MAC; absent without a MAC. */
  readonly key?: number;
  /**
   * The previous record that the same writer wrote, `shard:position`; absent in the writer's first
   * record.
   */
  readonly after?: string;
  readonly op: string;
  readonly outcome: Outcome;
  /** Status that the response had; absent before the response, and for work without a response. */
  readonly status?: number;
  /** The earlier `begun` record of the request that ended, as `shard:position`. */
  readonly of?: string;
  /** Id of the application that acted. */
  readonly app?: string;
  /**
   * The credential: `key:<id>`, `session:<id>`, `invocation:<id>`, `proxy:<id>` for a call with the
   * key of a stored proxy alone, or `operator:<AWS principal>`.
   */
  readonly cred?: string;
  readonly ip?: string;
  readonly trace?: string;
  readonly tokens?: Readonly<Partial<Record<Form, readonly string[]>>>;
  readonly containers?: readonly string[];
  /** How many containers did not fit into the record. */
  readonly containersLeftOut?: number;
  /** How many tokens matched a search, if there are too many to name them. */
  readonly matches?: number;
  /** Id and version of the stored proxy that a call went through. */
  readonly proxy?: string;
  readonly proxyVersion?: number;
  /** Host and port to which the proxy or a webhook sent a request. */
  readonly host?: string;
  /**
   * The resource that the request is about: `application:<id>`, `reactor:<id>`, `proxy:<id>` or
   * `tenant:<id>`.
   */
  readonly resource?: string;
  readonly invocation?: string;
  readonly change?: Change;
  /** Number of requests that the record is for, if more than one. */
  readonly count?: number;
  /** Number of networks that these requests came from, if more than one; at most 1,000. */
  readonly networks?: number;
}

/** A record as it is stored. */
export interface AuditRecord {
  /** Id of the tenant, or {@link DEPLOYMENT} if there is none. */
  readonly trail: string;
  readonly shard: number;
  /** It sorts by time and is unique in the trail (see {@link newRecordPosition}). */
  readonly position: string;
  /** The time when DynamoDB deletes it, in seconds since 1970. */
  readonly expires: number;
  readonly mac?: Buffer;
  /**
   * With `ids`, this is an {@link AuditEntry} (`record-content.ts`). The MAC covers exactly these
   * bytes.
   */
  readonly body: string;
  readonly ids?: Buffer;
}

/** Number of partitions of a trail. Each writer uses one of them. */
export const TRAIL_SHARDS = 32;

const RANDOM_BYTES = 9;
const TIME_LENGTH = sortableTime(0).length;

/**
 * Makes a position: the time of the write in base 36 (ms since the epoch), then 9 random bytes in
 * base64url.
 */
export function newRecordPosition(random: Random, at: number): string {
  return sortableTime(at) + random.bytes(RANDOM_BYTES).toString('base64url');
}

/**
 * Whether a text is a position. Any other text is not from this service, and its time means
 * nothing. `parseInt` also reads capital letters, and ends at the first character that is not a
 * digit.
 */
export const isPosition = (text: string): boolean => /^[0-9a-z]{9}[\w-]{12}$/.test(text);

/**
 * How far the clock of an instance may be ahead, in ms. A record from later is not from this
 * service.
 */
export const CLOCK_AHEAD_MS = 5 * 60_000;

/** The time when a record was written, in ms since the epoch. */
export function timeOfPosition(position: string): number {
  return parseInt(position.slice(0, TIME_LENGTH), 36);
}

/** Identifies a record in its trail. */
export interface RecordPlace {
  readonly shard: number;
  readonly position: string;
}

export function placeText({ shard, position }: RecordPlace): string {
  return `${String(shard).padStart(2, '0')}:${position}`;
}

/** Throws an Error for an invalid text. */
export function parsePlace(text: string): RecordPlace {
  const match = /^(\d\d):([\w-]{21})$/.exec(text);
  if (match === null) throw new Error('audit: not the place of a record');
  return { shard: Number(match[1]), position: match[2] ?? '' };
}

/** Concatenates texts and bytes, each after its length in 4 bytes. */
export function lengthPrefixed(parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

type Unauthenticated = Omit<AuditRecord, 'mac'>;

const NO_IDS = Buffer.alloc(0);

const authenticated = ({ trail, shard, position, expires, body, ids = NO_IDS }: Unauthenticated) => [
  trail,
  String(shard).padStart(2, '0'),
  position,
  String(expires),
  body,
  ids,
];

/** Computes the HMAC-SHA-256 of a record under the tenant's audit key. */
export function macOf(key: KeyObject, record: Unauthenticated): Buffer {
  return createHmac('sha256', key)
    .update(lengthPrefixed(authenticated(record)))
    .digest();
}

/** SHA-256 over the whole record. The seal is computed from it. */
export function leafOf(record: AuditRecord): Buffer {
  const parts = [...authenticated(record), record.mac ?? Buffer.alloc(0)];
  return createHash('sha256').update(lengthPrefixed(parts)).digest();
}

/** The tokens that a record names, each once, whatever their form. */
export const namedTokens = ({ tokens = {} }: Pick<AuditEntry, 'tokens'>): readonly string[] => [
  ...new Set(Object.values(tokens).flat()),
];
