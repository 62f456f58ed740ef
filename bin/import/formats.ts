import { createHash } from 'node:crypto';
import { canonical, type Json, type JsonObject } from '../../src/core/shared/json.ts';
import { UsageError } from '../command-line/failures.ts';
import type { Formed } from './columns/candidate.ts';
import { checkHeader } from './columns/check-header.ts';
import { formCells } from './columns/from-cells.ts';
import { formObjects } from './columns/from-object.ts';
import { columnsOf, mappingAsJson, type Mapping } from './columns/mapping.ts';
import { readMapFile } from './columns/map-file.ts';
import { PRESETS } from './columns/presets.ts';
import type { Format } from './format-names.ts';
import { readCsv } from './read/read-csv.ts';
import { formAliases } from './via/form-aliases.ts';
import { readLines } from './read/read-lines.ts';
import { FileEnds, type Content, type ReadRow } from './read/read-row.ts';

export interface FormatFlags {
  readonly from: Format;
  readonly map?: string;
  readonly source?: string;
  readonly keepIds?: true;
  readonly container?: readonly string[];
  readonly details?: string;
}

/** A file whose header was read, so that its form is known. */
export interface OpenedFormat {
  readonly source: string;
  /** Binds a journal to the columns that are read. */
  readonly columns: string;
  readonly ignored: () => readonly string[];
  readonly form: (row: number, content: Content) => Formed;
  readonly rows: AsyncIterable<ReadRow>;
  readonly marksSource: boolean;
}

const digestOf = (value: Json): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(value)))
    .digest('base64url');

const constantsOf = ({ container }: FormatFlags): JsonObject =>
  container === undefined ? {} : { containers: [...container] };

function requireAbsent(flags: FormatFlags, names: readonly (keyof FormatFlags)[]): void {
  const words: Partial<Record<keyof FormatFlags, string>> = { keepIds: 'keep-ids' };
  const name = names.find((each) => flags[each] !== undefined);
  if (name !== undefined)
    throw new UsageError(`--${words[name] ?? name} does not go with --from ${flags.from}`);
}

/** Checks what a command line says of the format alone. Throws {@link UsageError}. */
export function checkFormat(flags: FormatFlags): void {
  const { from, map, source } = flags;
  if (from === 'aliases') {
    if (map === undefined) throw new UsageError('--ids needs --map FILE');
    requireAbsent(flags, ['details']);
    return;
  }
  if (from === 'csv') {
    if (map === undefined) throw new UsageError('--from csv needs --map FILE');
  } else requireAbsent(flags, ['map']);
  if (from === 'cloakroom') requireAbsent(flags, ['source', 'keepIds', 'container', 'details']);
  if (from === 'ndjson') requireAbsent(flags, ['details']);
  if (from === 'ndjson' && source === undefined)
    throw new UsageError('--from ndjson needs --source NAME, which is part of each new id');
}

/** Goes on after a row that was read before, or ends as that read did. */
async function* following(first: ReadRow | FileEnds, rows: AsyncGenerator<ReadRow>): AsyncGenerator<ReadRow> {
  if (first instanceof FileEnds) throw first;
  yield first;
  yield* rows;
}

/** Reads the first of the rows, since a mistake in the header ends a run before it begins. */
async function begun(rows: AsyncGenerator<ReadRow>): Promise<AsyncIterable<ReadRow>> {
  try {
    const first = await rows.next();
    return first.done === true ? rows : following(first.value, rows);
  } catch (error) {
    if (error instanceof FileEnds) return following(error, rows);
    throw error;
  }
}

async function openObjects(flags: FormatFlags, text: AsyncIterable<Buffer>): Promise<OpenedFormat> {
  const { from, source = from, keepIds = false } = flags;
  const ignored = new Set<string>();
  const naming = from === 'cloakroom' ? undefined : { source, keepsIds: keepIds };
  const constants = constantsOf(flags);
  const form = formObjects({ naming, constants }, ignored);
  return {
    source,
    columns: digestOf([constants, keepIds]),
    ignored: () => [...ignored],
    form: (row, content) => {
      if (content.kind !== 'object') throw new Error('import: a row without an object');
      return form(row, content.object);
    },
    rows: await begun(readLines(text)),
    marksSource: naming !== undefined,
  };
}

interface ColumnsOf {
  readonly source: string | undefined;
  readonly mappingOf: (columns: readonly string[]) => Mapping;
}

function columnsOfFormat({ from, map, details }: FormatFlags): ColumnsOf {
  if (from === 'stripe' || from === 'braintree')
    return { source: from, mappingOf: (columns) => PRESETS[from](columns, details) };
  if (map === undefined) throw new Error('import: a format without a map');
  const { source, mapping } = readMapFile(map);
  if (details !== undefined && mapping.details === undefined)
    throw new UsageError('--details needs `details` in the map, with the columns of its data');
  const required = [...columnsOf(mapping)];
  const own = mapping.details;
  const mapped: Mapping = {
    ...mapping,
    required,
    ...(own !== undefined && details !== undefined && { details: { ...own, container: details } }),
  };
  return { source, mappingOf: () => mapped };
}

function sourceOf({ source }: FormatFlags, own: string | undefined): string {
  const found = source ?? own;
  if (found !== undefined) return found;
  throw new UsageError(
    'name the source, which is part of each new id: --source NAME, or `source` in the map',
  );
}

async function openCells(
  name: string,
  flags: FormatFlags,
  text: AsyncIterable<Buffer>,
): Promise<OpenedFormat> {
  const { keepIds = false } = flags;
  const { source: own, mappingOf } = columnsOfFormat(flags);
  const source = sourceOf(flags, own);
  let opened: { readonly mapping: Mapping; readonly ignored: readonly string[] } | undefined;
  const rows = await begun(
    readCsv(name, text, (columns) => {
      const found = mappingOf(columns);
      const mapping = { ...found, constants: { ...found.constants, ...constantsOf(flags) } };
      const { known, ignored } = checkHeader(name, columns, mapping);
      opened = { mapping, ignored };
      return known;
    }),
  );
  if (opened === undefined) throw new UsageError(`${name} cannot be read; nothing was done`);
  const { mapping, ignored } = opened;
  const form = formCells(mapping, { source, keepsIds: keepIds });
  return {
    source,
    columns: digestOf([mappingAsJson(mapping), keepIds]),
    ignored: () => ignored,
    form: (row, content) => {
      if (content.kind !== 'cells') throw new Error('import: a row without cells');
      return form(row, content.cells);
    },
    rows,
    marksSource: true,
  };
}

/** Opens a file of aliases, whose map has expressions of the other vault. */
async function openAliases(
  name: string,
  flags: FormatFlags,
  text: AsyncIterable<Buffer>,
): Promise<OpenedFormat> {
  const { map = '', keepIds = false } = flags;
  const { source: own, mapping: read } = readMapFile(map);
  const source = sourceOf(flags, own);
  const mapping = { ...read, constants: { ...read.constants, ...constantsOf(flags) } };
  const aliases = formAliases(mapping, { source, keepsIds: keepIds });
  let ignored: readonly string[] = [];
  const rows = await begun(
    readCsv(name, text, (columns) => {
      const header = aliases.header(name, columns);
      ({ ignored } = header);
      return header.known;
    }),
  );
  return {
    source,
    columns: digestOf([mappingAsJson(mapping), keepIds]),
    ignored: () => ignored,
    form: (row, content) => {
      if (content.kind !== 'cells') throw new Error('import: a row without cells');
      return aliases.form(row, content.cells);
    },
    rows,
    marksSource: true,
  };
}

type Open = (name: string, flags: FormatFlags, text: AsyncIterable<Buffer>) => Promise<OpenedFormat>;

const openLines: Open = (_, flags, text) => openObjects(flags, text);

const OPEN: Readonly<Record<Format, Open>> = {
  stripe: openCells,
  braintree: openCells,
  csv: openCells,
  aliases: openAliases,
  ndjson: openLines,
  cloakroom: openLines,
};

/** Reads the head of a file. Rejects with {@link UsageError} if it has not the form. */
export const openFormat: Open = (name, flags, text) => OPEN[flags.from](name, flags, text);
