import type { ConnectionFlags } from '../command-line/connection.ts';
import { formatTimestamp } from '../../src/core/shared/timestamp.ts';
import { confirm } from '../command-line/confirm.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { createProgress } from '../command-line/progress.ts';
import { callService } from '../command-line/service-call.ts';
import { printable } from '../command-line/show.ts';
import type { StreamSurroundings } from '../command-line/stream-surroundings.ts';
import { filterAsJson, filterOf, serviceFilterOf, type ExportFilter, type FilterFlags } from './filter.ts';
import { columnsOf } from './formats/columns.ts';
import { csv } from './formats/csv.ts';
import type { Format, FormatName } from './formats/format.ts';
import { cloakroom, ndjson } from './formats/token-body.ts';
import { differingMember, emptyManifest, type Job, type Manifest } from './manifest/manifest.ts';
import { readManifest, writeManifest } from './manifest/manifest-file.ts';
import { signerOf, type Sign } from './manifest/sign.ts';
import { commandParts, numberOf } from './parts/command-part.ts';
import type { OpenPart } from './parts/part.ts';
import { streamPart } from './parts/stream-part.ts';
import { priceOf } from './price.ts';
import { sdkService } from './sdk-service.ts';
import { CallFailed, type Count, type ExportService, type Self } from './service.ts';
import { countsInWords, mayReveal, RightsChanged, rightsLines } from './shown.ts';
import { withStopSignal } from './stop-signal.ts';
import { writeParts } from './write-parts.ts';

export interface ExportFlags extends ConnectionFlags, FilterFlags {
  readonly to: FormatName;
  readonly columns?: string;
  readonly spreadsheet?: true;
  readonly partRows?: number;
  readonly exec?: string;
  readonly manifest?: string;
  readonly signWith?: string;
  readonly yes?: true;
}

type Incomplete = Extract<Manifest, { readonly complete: false }>;

const DEFAULT_MANIFEST = 'manifest.json';

/** Throws {@link UsageError} for options that do not go together, before anything else is done. */
function checkFlags(
  { to, columns, spreadsheet, partRows, exec, manifest }: ExportFlags,
  isTerminal: boolean,
): void {
  if (to !== 'csv' && columns !== undefined) throw new UsageError('--columns needs --to csv');
  if (to !== 'csv' && spreadsheet === true) throw new UsageError('--spreadsheet needs --to csv');
  if (exec === undefined) {
    if (partRows !== undefined) throw new UsageError('--part-rows needs --exec, which takes each part');
    if (isTerminal)
      throw new UsageError(
        'standard output is a terminal: use --exec, or send the output to a command that encrypts it',
      );
    if (manifest === undefined)
      throw new UsageError('without --exec, name the file of the manifest by --manifest');
  } else if (partRows !== undefined && !exec.includes('{n}')) {
    throw new UsageError(
      '--exec needs {n}, the number of the part: otherwise each part replaces the one before',
    );
  }
}

const formatOf = ({ to, columns, spreadsheet }: ExportFlags): Format => {
  if (to === 'csv') return csv(columnsOf(columns), { isForSpreadsheet: spreadsheet === true });
  return to === 'ndjson' ? ndjson : cloakroom;
};

const jobOf = (flags: ExportFlags, filter: ExportFilter, { id, tenantId }: Self): Job => ({
  format: flags.to,
  ...(flags.to === 'csv' && { columns: columnsOf(flags.columns).map(({ name }) => name) }),
  ...(flags.spreadsheet === true && { spreadsheet: true }),
  part_rows: flags.partRows ?? null,
  tenant: tenantId,
  application: id,
  filter: filterAsJson(filter),
});

/**
 * Chooses the manifest to go on with. Throws {@link UsageError} if that of the file is of something
 * else.
 */
function manifestToContinue(file: string, stored: Manifest | undefined, job: Job, now: number): Incomplete {
  const empty = emptyManifest(job, formatTimestamp(now));
  if (stored === undefined) return empty;
  const other = differingMember(stored, job);
  if (other !== undefined)
    throw new UsageError(
      `${file} is the manifest of an export with other values of ${other}; nothing was done`,
    );
  if (stored.complete) throw new UsageError(`${file} is the manifest of a complete export; nothing was done`);
  return stored.parts.length === 0 ? empty : stored;
}

const counted = (count: number): string => count.toLocaleString('en-US');

/** How many tokens a filter may select, of which the service counts only a part. */
function countInWords(
  { tokens, isLowerBound }: Count,
  { types, createdAfter, createdBefore }: ExportFilter,
): string {
  if (isLowerBound) return `more than ${counted(tokens)} tokens`;
  const isUpperBound = [types, createdAfter, createdBefore].some((each) => each !== undefined);
  return `${isUpperBound ? 'at most ' : ''}${counted(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`;
}

function priceInWords(count: Count): string {
  const { requests, dollars } = priceOf(count);
  const least = count.isLowerBound ? 'more than' : 'about';
  const price = dollars < 0.01 ? 'less than 0.01' : `${least} ${dollars.toFixed(2)}`;
  return `${least} ${counted(requests)} requests, ${price} dollars by list prices`;
}

/** Says on standard error what leaves, before it does. */
function announce(self: Self, count: Count, filter: ExportFilter, { printError }: StreamSurroundings): void {
  const lines = [
    `The application ${self.name} sees`,
    ...rightsLines(self.grants).map((line) => `  ${line}`),
    `${countInWords(count, filter)}; ${priceInWords(count)}`,
  ];
  for (const line of lines) printError(`${printable(line)}\n`);
}

const questionOf = ({ exec }: ExportFlags): string =>
  `What the key sees leaves the vault, ${exec === undefined ? 'to standard output' : 'into the command of --exec'}.`;

/** An environment without the key, which is not for the command of a part. */
function withoutKey(
  { keyFrom }: ConnectionFlags,
  environment: StreamSurroundings['environment'],
): StreamSurroundings['environment'] {
  const { CLOAKROOM_API_KEY: _, ...rest } = environment;
  const name = /^env:(.+)$/.exec(keyFrom ?? '')?.[1];
  return Object.fromEntries(Object.entries(rest).filter(([each]) => each !== name));
}

function openPartOf(flags: ExportFlags, { output, environment }: StreamSurroundings): OpenPart {
  if (flags.exec !== undefined) return commandParts(flags.exec, withoutKey(flags, environment));
  if (output === undefined) throw new Error('export: there is no standard output');
  return () => streamPart(output);
}

/** Reads what decides about the export. A refused call is a mistake here: nothing was done. */
async function beforeStart<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CallFailed && [400, 401, 403].includes(error.status))
      throw new UsageError(`${error.message}; nothing was done`);
    throw error instanceof CallFailed ? new CommandFailure(error.message) : error;
  }
}

/** Explains why an export stopped, and how it goes on. */
function stoppedBy(error: unknown, { exec }: ExportFlags): unknown {
  const isKnown =
    error instanceof CallFailed || error instanceof RightsChanged || error instanceof CommandFailure;
  if (!isKnown) return error;
  const way = exec === undefined ? 'what was written is no whole export' : 'run the same again to go on';
  return new CommandFailure(`${error.message}; ${way}`);
}

interface Prepared {
  readonly service: ExportService;
  readonly filter: ExportFilter;
  readonly file: string;
  readonly sign: Sign | undefined;
}

/** Exports after the last question. Resolves with the complete manifest. */
async function exportTokens(
  flags: ExportFlags,
  surroundings: StreamSurroundings,
  { service, filter, file, sign }: Prepared,
): Promise<Manifest> {
  const { clock = Date.now } = surroundings;
  const stored = readManifest(file);
  const self = await beforeStart(service.self);
  const manifest = manifestToContinue(file, stored, jobOf(flags, filter, self), clock());
  const format = formatOf(flags);
  if (format.needsPlaintext && !mayReveal(self.grants))
    throw new UsageError(
      `the key shows no token in plaintext, which --to ${flags.to} needs; nothing was done`,
    );
  const count = await beforeStart(() => service.count(serviceFilterOf(filter)));
  announce(self, count, filter, surroundings);
  const { parts, rows } = manifest;
  if (parts.length > 0)
    surroundings.printError(
      `goes on after part ${numberOf(parts.length)}, with ${counted(rows)} tokens so far\n`,
    );
  await confirm(questionOf(flags), flags.yes === true, surroundings);
  const store = (next: Manifest) => {
    writeManifest(file, next, sign);
  };
  store(manifest);
  const progress = createProgress(surroundings, 'tokens');
  const at = (rows: number) => {
    progress.at(rows, count.isLowerBound || count.tokens === 0 ? undefined : rows / count.tokens);
  };
  const openPart = openPartOf(flags, surroundings);
  try {
    return await withStopSignal((stopped) =>
      writeParts({ service, self, filter, format, openPart, store, clock, at, stopped }, manifest),
    );
  } catch (error) {
    throw stoppedBy(error, flags);
  } finally {
    progress.end();
  }
}

function summaryOf({ rows, shown, parts }: Manifest, file: string): string {
  const what = `exported ${counted(rows)} ${rows === 1 ? 'token' : 'tokens'}`;
  const how = rows === 0 ? '' : ` (${countsInWords(shown)})`;
  const where = parts.length === 1 ? '1 part' : `${counted(parts.length)} parts`;
  return `${what}${how} in ${where}; the manifest is ${file}\n`;
}

/** `export`. */
export async function runExport(flags: ExportFlags, surroundings: StreamSurroundings): Promise<void> {
  checkFlags(flags, surroundings.isTerminal);
  const filter = filterOf(flags);
  // A mistake in them is found before the first call.
  formatOf(flags);
  const sign = flags.signWith === undefined ? undefined : signerOf(flags.signWith);
  const file = flags.manifest ?? DEFAULT_MANIFEST;
  const manifest = await callService(flags, surroundings, (client) =>
    exportTokens(flags, surroundings, { service: sdkService(client), filter, file, sign }),
  );
  surroundings.printError(summaryOf(manifest, file));
}
