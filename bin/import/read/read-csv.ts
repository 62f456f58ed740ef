import { CsvError, parse, type Parser } from 'csv-parse';
import { UsageError } from '../../command-line/failures.ts';
import { FileEnds, ROW_MAX_BYTES, type ReadRow, type RowProblem } from './read-row.ts';

/**
 * Gets the columns of the header before the first row, and returns those that are read. Throws
 * UsageError for unusable ones.
 */
export type CheckHeader = (columns: readonly string[]) => ReadonlySet<string>;

const NEWLINES = new Set([0x0a, 0x0d]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The most likely separator of a header that has one column. */
function separatorIn(header: string): string | undefined {
  if (header.includes(';')) return 'semicolons';
  if (header.includes('\t')) return 'tabs';
  return header.includes('|') ? 'vertical bars' : undefined;
}

function columnsOf(name: string, cells: readonly Buffer[]): readonly string[] {
  const columns = cells.map((cell, at) => {
    const text = textOf(cell)?.trim();
    if (text === undefined)
      throw new UsageError(`${name}: the header is not UTF-8 in column ${String(at + 1)}; nothing was done`);
    return text;
  });
  const separator = columns.length === 1 ? separatorIn(columns[0] ?? '') : undefined;
  if (separator !== undefined)
    throw new UsageError(`${name} has ${separator} between its columns: it needs commas; nothing was done`);
  const twice = columns.findIndex((column, at) => column !== '' && columns.indexOf(column) !== at);
  const first = columns.indexOf(columns[twice] ?? '');
  // A file without a header has values there, which a message must not show.
  if (twice !== -1)
    throw new UsageError(
      `${name}: columns ${String(first + 1)} and ${String(twice + 1)} have the same name; nothing was done`,
    );
  return columns;
}

/** Columns that nothing reads may have any bytes. */
function cellsOf(
  columns: readonly string[],
  known: ReadonlySet<string>,
  fields: readonly Buffer[],
): ReadonlyMap<string, string> | RowProblem {
  if (fields.length !== columns.length)
    return { problem: `has ${String(fields.length)} columns; the header has ${String(columns.length)}` };
  const cells = new Map<string, string>();
  for (const [at, column] of columns.entries()) {
    if (!known.has(column)) continue;
    const text = textOf(fields[at] ?? Buffer.alloc(0));
    if (text === undefined) return { column, problem: 'is not UTF-8' };
    cells.set(column, text);
  }
  return cells;
}

const ENDS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the file ends inside of quotes: it was cut',
  CSV_MAX_RECORD_SIZE: `is larger than ${String(ROW_MAX_BYTES / 1_000_000)} MB: a quote may be missing`,
  CSV_INVALID_CLOSING_QUOTE: 'has something behind a closing quote: quotes in a value are doubled',
  INVALID_OPENING_QUOTE: 'has a quote inside of a value without quotes',
};

function endOf(error: unknown, row: number): unknown {
  if (!(error instanceof CsvError)) return error;
  return new FileEnds(`row ${String(row)}: ${ENDS[error.code] ?? `is no CSV (${error.code})`}`);
}

/** Watches whether a text ends with the end of a line. */
class Ending {
  isNewline = true;

  async *of(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      const last = chunk.at(-1);
      if (last !== undefined) this.isNewline = NEWLINES.has(last);
      yield chunk;
    }
  }
}

/** Feeds a parser, which passes the records before an error on as well. */
class Records {
  readonly #parser: Parser;

  #found: (readonly Buffer[])[] = [];

  #failure: unknown;

  constructor() {
    this.#parser = parse({
      // The library's types lack it: fields are bytes, so that an encoding is judged by column.
      encoding: null as unknown as undefined,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: ROW_MAX_BYTES,
      on_record: (record: readonly Buffer[]) => {
        this.#found.push(record);
        // The parser's own output ends with an error, and what is in its buffer is lost then.
        return null;
      },
    });
    this.#parser.on('error', (error) => {
      this.#failure ??= error;
    });
    this.#parser.resume();
  }

  /** Whether there was no error. */
  get isWhole(): boolean {
    return this.#failure === undefined;
  }

  get failure(): unknown {
    return this.#failure;
  }

  /** Resolves with the records that a part of the text ends. */
  async of(chunk: Buffer | undefined): Promise<readonly (readonly Buffer[])[]> {
    await new Promise<void>((done) => {
      if (chunk !== undefined) this.#parser.write(chunk, () => done());
      else {
        this.#parser.once('error', () => done());
        this.#parser.end(() => done());
      }
    });
    const found = this.#found;
    this.#found = [];
    return found;
  }
}

async function* recordsOf(name: string, text: AsyncIterable<Buffer>): AsyncGenerator<readonly Buffer[]> {
  const records = new Records();
  let row = -1;
  const counted = function* of(found: readonly (readonly Buffer[])[]) {
    for (const record of found) {
      row += 1;
      yield record;
    }
  };
  for await (const chunk of text) {
    yield* counted(await records.of(chunk));
    if (!records.isWhole) break;
  }
  if (records.isWhole) yield* counted(await records.of(undefined));
  const { failure } = records;
  if (failure instanceof CsvError && row === -1)
    throw new UsageError(`${name}: the header is no CSV (${failure.code}); nothing was done`);
  if (failure !== undefined) throw endOf(failure, row + 1);
}

/** The rows of a CSV file (RFC 4180), with any end of a line. Rejects with {@link FileEnds}. */
export async function* readCsv(
  name: string,
  text: AsyncIterable<Buffer>,
  checkHeader: CheckHeader,
): AsyncGenerator<ReadRow> {
  const ending = new Ending();
  let columns: readonly string[] | undefined;
  let known: ReadonlySet<string> = new Set();
  let row = 0;
  let short: number | undefined;
  for await (const fields of recordsOf(name, ending.of(text))) {
    if (columns === undefined) {
      columns = columnsOf(name, fields);
      known = checkHeader(columns);
      continue;
    }
    if (short !== undefined) yield shortRow(short, columns, row);
    row += 1;
    short = fields.length < columns.length ? fields.length : undefined;
    if (short !== undefined) continue;
    const cells = cellsOf(columns, known, fields);
    yield 'problem' in cells
      ? { kind: 'problem', row, found: cells }
      : { kind: 'content', row, content: { kind: 'cells', cells } };
  }
  if (columns === undefined) throw new UsageError(`${name} has no header; nothing was done`);
  if (short === undefined) return;
  if (!ending.isNewline)
    throw new FileEnds(`row ${String(row)}: the file ends inside of the row: it was cut`);
  yield shortRow(short, columns, row);
}

/** Only the next row shows whether a row is short or the file was cut. */
const shortRow = (fields: number, columns: readonly string[], row: number): ReadRow => ({
  kind: 'problem',
  row,
  found: { problem: `has ${String(fields)} columns; the header has ${String(columns.length)}` },
});
