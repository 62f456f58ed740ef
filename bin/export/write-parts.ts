import { createHash } from 'node:crypto';
import { formatTimestamp } from '../../src/core/shared/timestamp.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { printable } from '../command-line/show.ts';
import type { ExportFilter } from './filter.ts';
import type { Format } from './formats/format.ts';
import type { Manifest, PartRecord } from './manifest/manifest.ts';
import type { OpenPart, Part } from './parts/part.ts';
import type { ExportService, Self } from './service.ts';
import { addCounts, NONE_SHOWN, requireSameRights, shownOf, type Shown, type ShownCounts } from './shown.ts';
import type { Position } from './walk/position.ts';
import { walk, type Row } from './walk/walk.ts';

/** So much text is sent at once. */
const CHUNK_CHARACTERS = 65_536;

type Incomplete = Extract<Manifest, { readonly complete: false }>;

export interface WritePartsDeps {
  readonly service: Pick<ExportService, 'self' | 'page' | 'token'>;
  readonly self: Self;
  readonly filter: ExportFilter;
  readonly format: Format;
  readonly openPart: OpenPart;
  /** Stores a manifest before the next part begins. */
  readonly store: (manifest: Manifest) => void;
  readonly clock: () => number;
  /** Learns how many rows are written. */
  readonly at: (rows: number) => void;
  /** Rejects once a person stops the run. */
  readonly stopped: Promise<never>;
}

/** The text of a part on its way, with everything that its record needs. */
class PartText {
  readonly #part: Part;

  readonly #hash = createHash('sha256');

  #chunk = '';

  #bytes = 0;

  #shown: ShownCounts = NONE_SHOWN;

  constructor(part: Part) {
    this.#part = part;
  }

  async add(text: string, shown?: Shown): Promise<void> {
    if (shown !== undefined) this.#shown = { ...this.#shown, [shown]: this.#shown[shown] + 1 };
    this.#chunk += text;
    if (this.#chunk.length >= CHUNK_CHARACTERS) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#chunk);
    this.#chunk = '';
    if (bytes.length === 0) return;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#part.write(bytes);
  }

  /** Ends the part, once the rights by which it was judged are still those of the key. */
  async end(check: () => Promise<void>): Promise<Pick<PartRecord, 'bytes' | 'sha256' | 'shown'>> {
    await this.#flush();
    await check();
    await this.#part.end();
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex'), shown: this.#shown };
  }
}

/** A masked value in the place of data would be stored as data by an import. */
function requirePlaintext({ needsPlaintext }: Format, { token }: Row, shown: Shown): void {
  if (!needsPlaintext || shown === 'reveal') return;
  throw new CommandFailure(
    `the key does not show the token ${printable(token.id)} in plaintext, which this format needs`,
  );
}

/** A part was written: its record, and where the walk is. */
interface Written {
  readonly record: PartRecord;
  readonly first: Row | undefined;
  readonly last: Row | undefined;
  /** Whether the walk may have more rows. */
  readonly next: Position | undefined;
}

/** Writes rows until a part is full or the walk ends. */
async function fillPart(
  { service, self, format, at }: WritePartsDeps,
  text: PartText,
  rows: AsyncIterator<Row>,
  { manifest, pending }: { readonly manifest: Incomplete; readonly pending: IteratorResult<Row> },
): Promise<Written> {
  const { part_rows: most } = manifest;
  let current = pending;
  let first: Row | undefined;
  let last: Row | undefined;
  let count = 0;
  await text.add(format.header);
  while (current.done !== true) {
    const row = current.value;
    const shown = shownOf(self.grants, row.token);
    requirePlaintext(format, row, shown);
    await text.add(format.row(row.token, shown), shown);
    first ??= row;
    last = row;
    count += 1;
    at(manifest.rows + count);
    if (count === most) break;
    current = await rows.next();
  }
  const ended = await text.end(async () => {
    requireSameRights(self.grants, (await service.self()).grants);
  });
  const record = {
    n: manifest.parts.length + 1,
    rows: count,
    first_id: first?.token.id ?? null,
    last_id: last?.token.id ?? null,
    ...ended,
  };
  return { record, first, last, next: current.done === true ? undefined : last?.next };
}

const createdAt = (row: Row | undefined): string | null =>
  row === undefined ? null : formatTimestamp(row.token.createdAt);

/** Adds a part to a manifest, which is complete if nothing follows. */
function withPart(
  { complete: _, next: __, ...manifest }: Incomplete,
  { record, first, last, next }: Written,
  now: number,
): Manifest {
  const more = {
    ...manifest,
    newest_created_at: manifest.newest_created_at ?? createdAt(first),
    oldest_created_at: createdAt(last) ?? manifest.oldest_created_at,
    rows: manifest.rows + record.rows,
    shown: addCounts(manifest.shown, record.shown),
    parts: [...manifest.parts, record],
  };
  return next === undefined
    ? { ...more, complete: true, finished_at: formatTimestamp(now) }
    : { ...more, complete: false, next: { ...next, written: [...next.written] } };
}

/** A walk whose last part was full ends without a further part if no row follows. */
function withoutFurtherPart({ next: _, ...manifest }: Incomplete, now: number): Manifest {
  return { ...manifest, complete: true, finished_at: formatTimestamp(now) };
}

/**
 * Writes the parts that a manifest lacks, and stores it after each. Resolves with the complete one.
 * A part that fails is ended, and the manifest stays as it was before.
 */
export async function writeParts(deps: WritePartsDeps, from: Incomplete): Promise<Manifest> {
  const { service, filter, openPart, store, clock, stopped } = deps;
  const { newest_created_at: newest } = from;
  const rows = walk(service, filter, {
    from: from.next,
    ...(newest !== null && { newest: Date.parse(newest) }),
  });
  let manifest: Manifest = from;
  while (!manifest.complete) {
    const before: Incomplete = manifest;
    const pending: IteratorResult<Row> = await Promise.race([rows.next(), stopped]);
    if (pending.done === true && before.parts.length > 0) {
      manifest = withoutFurtherPart(before, clock());
    } else {
      const part = openPart(before.parts.length + 1);
      try {
        const filling = fillPart(deps, new PartText(part), rows, { manifest: before, pending });
        manifest = withPart(before, await Promise.race([filling, stopped]), clock());
      } catch (error) {
        await part.abort();
        throw error;
      }
    }
    store(manifest);
  }
  return manifest;
}
