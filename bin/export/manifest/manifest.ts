import { z } from 'zod';
import { printableJson } from '../../command-line/show.ts';
import { FORMAT_NAMES } from '../formats/format.ts';
import { START } from '../walk/position.ts';

const VERSION = 1;

const count = z.int().min(0);
const text = z.string();
const counts = z.strictObject({ reveal: count, mask: count, redact: count });

const part = z.strictObject({
  n: z.int().min(1),
  rows: count,
  /** The newest token of the part, and the oldest one; `null` if it has none. */
  first_id: z.nullable(text),
  last_id: z.nullable(text),
  bytes: count,
  /** It covers the plaintext, as the command or standard output gets it. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  shown: counts,
});

/** A run goes on only with a manifest of the same job. */
const job = z.strictObject({
  format: z.enum(FORMAT_NAMES),
  columns: z.exactOptional(z.array(text)),
  spreadsheet: z.exactOptional(z.literal(true)),
  part_rows: z.nullable(z.int().min(1)),
  tenant: text,
  application: text,
  filter: z.strictObject({
    container: z.exactOptional(text),
    metadata: z.exactOptional(z.record(text, text)),
    types: z.exactOptional(z.array(text)),
    created_after: z.exactOptional(text),
    created_before: z.exactOptional(text),
  }),
});

const progress = {
  started_at: text,
  /** Creation of the first token and of the last one; `null` without any. */
  newest_created_at: z.nullable(text),
  oldest_created_at: z.nullable(text),
  rows: count,
  shown: counts,
  parts: z.array(part),
};

const schema = z.union([
  z.strictObject({
    version: z.literal(VERSION),
    complete: z.literal(true),
    ...job.shape,
    ...progress,
    finished_at: text,
  }),
  z.strictObject({
    version: z.literal(VERSION),
    complete: z.literal(false),
    ...job.shape,
    ...progress,
    /** Where the next part begins. */
    next: z.strictObject({ after: z.nullable(text), written: z.array(text) }),
  }),
]);

export type Job = z.output<typeof job>;
export type PartRecord = z.output<typeof part>;
export type Manifest = z.output<typeof schema>;

/** `undefined` for a text that is no manifest of this version. */
export function parseManifest(content: string): Manifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return undefined;
  }
  return schema.safeParse(value).data;
}

/**
 * The text of a manifest. Ids come from tenants, and people read a manifest on a terminal too, so
 * each line is escaped by itself.
 */
export function manifestText(manifest: Manifest): string {
  const lines = JSON.stringify(manifest, null, 2).split('\n');
  return lines.map((line) => `${printableJson(line)}\n`).join('');
}

/** The manifest of an export that has no part yet. */
export const emptyManifest = (of: Job, startedAt: string) =>
  ({
    version: VERSION,
    complete: false,
    ...of,
    started_at: startedAt,
    newest_created_at: null,
    oldest_created_at: null,
    rows: 0,
    shown: { reveal: 0, mask: 0, redact: 0 },
    parts: [],
    next: { ...START, written: [...START.written] },
  }) as const satisfies Manifest;

const JOB_NAMES = Object.keys(job.shape) as readonly (keyof Job)[];

/** The first member of a job that another run had otherwise. */
export const differingMember = (one: Job, other: Job): keyof Job | undefined =>
  JOB_NAMES.find((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
