import { isUuid } from '../shared/is-uuid.ts';
import { parseJson } from '../shared/parse-json.ts';
import type { AuditEntry, Form } from './audit-record.ts';
import {
  packUuid,
  REFERENCE_BYTES,
  referenceOf,
  referenceText,
  unpackUuid,
  UUID_BYTES,
  type Referred,
} from './token-reference.ts';

/**
 * The stored form of an entry (docs/audit.md#record). In the JSON, a number replaces each id of a
 * token, and a UUID as id of the application. The ids themselves follow in bytes.
 */
export interface RecordContent {
  readonly body: string;
  /** UUIDs in the order of the body, then references in that order. Absent if there are none. */
  readonly ids?: Buffer;
}

/** This number replaces `app`, which is then the first of the UUIDs. */
const FIRST_UUID = 1;

/** Encodes an entry. `referred` has those of its ids of tokens that are stored as references. */
export function encodeContent(entry: AuditEntry): RecordContent & { readonly referred: readonly Referred[] } {
  const { app, tokens, ...rest } = entry;
  const uuids: Buffer[] = [];
  const referred: Referred[] = [];
  const isPacked = app !== undefined && isUuid(app);
  if (isPacked) uuids.push(packUuid(app));
  const counts: Record<string, number | readonly [number, number]> = {};
  for (const [form, ids] of Object.entries(tokens ?? {})) {
    const before = uuids.length;
    const others = referred.length;
    for (const id of ids)
      if (isUuid(id)) uuids.push(packUuid(id));
      else referred.push({ reference: referenceOf(id), id });
    const count = uuids.length - before;
    const more = referred.length - others;
    counts[form] = more === 0 ? count : [count, more];
  }
  const body = JSON.stringify({
    v: 1,
    ...rest,
    ...(app !== undefined && { app: isPacked ? FIRST_UUID : app }),
    ...(tokens !== undefined && { tokens: counts }),
  });
  const ids = [...uuids, ...referred.map(({ reference }) => reference)];
  return { body, ...(ids.length > 0 && { ids: Buffer.concat(ids) }), referred };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function countsOf(value: unknown): readonly [number, number] {
  const pair: readonly unknown[] = Array.isArray(value) ? value : [value, 0];
  const [count, more] = pair;
  if (pair.length !== 2 || !isCount(count) || !isCount(more)) throw new Error('audit: not a number of ids');
  return [count, more];
}

function* pieces(bytes: Buffer, size: number): Generator<Buffer, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  return undefined;
}

/**
 * The entry of a record, in which a reference is the text of `referenceText`. Throws an Error for
 * content that {@link encodeContent} does not produce.
 */
export function decodeContent({ body, ids = Buffer.alloc(0) }: RecordContent): AuditEntry {
  const json: unknown = parseJson(body);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Error('audit: not an object');
  const { app, tokens, ...rest } = json as Readonly<Record<string, unknown>>;
  const counts = Object.entries(tokens ?? {}).map(([form, value]) => [form, ...countsOf(value)] as const);
  const uuidCount = counts.reduce((sum, [, count]) => sum + count, app === FIRST_UUID ? 1 : 0);
  const referenceCount = counts.reduce((sum, [, , more]) => sum + more, 0);
  const end = uuidCount * UUID_BYTES;
  if (ids.length !== end + referenceCount * REFERENCE_BYTES)
    throw new Error('audit: not the ids of the body');
  const uuids = pieces(ids.subarray(0, end), UUID_BYTES);
  const references = pieces(ids.subarray(end), REFERENCE_BYTES);
  const take = (from: Generator<Buffer, undefined>, count: number, text: (bytes: Buffer) => string) =>
    Array.from({ length: count }, () => text(from.next().value as Buffer));
  const ofApp = app === FIRST_UUID ? take(uuids, 1, unpackUuid)[0] : app;
  const named = counts.map(([form, count, more]) => [
    form as Form,
    [...take(uuids, count, unpackUuid), ...take(references, more, referenceText)],
  ]);
  return {
    ...rest,
    ...(ofApp !== undefined && { app: ofApp }),
    ...(tokens !== undefined && { tokens: Object.fromEntries(named) as AuditEntry['tokens'] }),
  } as AuditEntry;
}
