import { randomUUID } from 'node:crypto';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import type { ConnectionFlags } from '../command-line/connection.ts';
import { createProgress } from '../command-line/progress.ts';
import { callService } from '../command-line/service-call.ts';
import { printable } from '../command-line/show.ts';
import { FileProblemsError } from '../config/file/problems.ts';
import { checkCandidate } from './columns/check-candidate.ts';
import { checkFormat, openFormat, type FormatFlags, type OpenedFormat } from './formats.ts';
import { FORMATS } from './format-names.ts';
import { importRows } from './import-rows.ts';
import type { ImportSurroundings } from './import-surroundings.ts';
import { digestOnce, digestWith } from './journal/digest-key.ts';
import { openJournal, temporaryJournal, type Journal } from './journal/journal.ts';
import { openInput, type Input } from './read/input.ts';
import { plainText } from './read/plain-text.ts';
import { countsLine } from './report/counts.ts';
import { openPrivateFile, openWholeFile, type PrivateFile } from './report/private-file.ts';
import { Recorder } from './report/recorder.ts';
import { printRows, writeReport } from './report/write-report.ts';
import { sdkService } from './sdk-service.ts';
import { CallFailed, type ImportService, type TenantState } from './service.ts';
import { checkAlias } from './via/form-aliases.ts';
import { checkVia, withVia, type ViaFlags } from './via/with-via.ts';

export interface ImportFlags extends ConnectionFlags, FormatFlags, ViaFlags {
  /** `false` by `--no-journal`. */
  readonly journal?: string | false;
  readonly journalKey?: string;
  readonly report?: string;
  readonly idsOut?: string;
  readonly pairsOut?: string;
  readonly replace?: true;
  readonly deduplicate?: 'map' | 'never';
  readonly dryRun?: true;
  readonly maxRejected: number;
  readonly parallel: number;
}

/** Where a run of a file keeps what it has done. */
function journalFolder(file: string, { journal, dryRun }: ImportFlags): string | undefined {
  if (journal === false || dryRun === true) return undefined;
  if (journal !== undefined) return journal;
  if (file === '-')
    throw new UsageError('standard input has no place for a journal: name --journal FOLDER, or --no-journal');
  return `${file}.import-journal`;
}

function checkFlags(file: string, flags: ImportFlags): void {
  checkVia(flags);
  checkFormat(flags);
  journalFolder(file, flags);
  if (flags.ids !== undefined && (flags.replace === true || flags.deduplicate !== undefined))
    throw new UsageError('--ids goes with neither --replace nor --deduplicate: the key can only create');
  if (flags.deduplicate === 'map' && flags.pairsOut === undefined && flags.dryRun !== true)
    throw new UsageError('--deduplicate map needs --pairs-out FILE, for rows whose data has another id');
  if (flags.deduplicate !== 'map' && flags.pairsOut !== undefined)
    throw new UsageError('--pairs-out goes with --deduplicate map');
}

/** Rejects with {@link UsageError} for a tenant that deduplicates, if nothing says how. */
async function checkTenant(
  service: ImportService,
  { deduplicate }: ImportFlags,
): Promise<TenantState | undefined> {
  const tenant = await service.tenant();
  if (tenant?.deduplicates === true && deduplicate === undefined)
    throw new UsageError(
      'the tenant deduplicates tokens, so that a row could get the id of another token: ' +
        'choose --deduplicate never or map; nothing was done',
    );
  return tenant;
}

interface Files {
  readonly ids?: PrivateFile;
  readonly pairs?: PrivateFile;
}

const PAIR_HEADER = 'old_id,token_id\r\n';

function openFiles({ idsOut, pairsOut, dryRun }: ImportFlags): Files {
  const open = (path: string | undefined, option: string): PrivateFile | undefined => {
    if (path === undefined || dryRun === true) return undefined;
    const file = openPrivateFile(path, option);
    file.write(PAIR_HEADER);
    return file;
  };
  const ids = open(idsOut, 'ids-out');
  const pairs = open(pairsOut, 'pairs-out');
  return { ...(ids !== undefined && { ids }), ...(pairs !== undefined && { pairs }) };
}

interface Run {
  readonly file: string;
  readonly flags: ImportFlags;
  readonly surroundings: ImportSurroundings;
  readonly service: ImportService;
  readonly baseUrl: string;
}

async function journalOf(
  { file, flags, baseUrl }: Run,
  { source, columns }: OpenedFormat,
  tenant: TenantState | undefined,
): Promise<Journal> {
  const folder = journalFolder(file, flags);
  if (folder === undefined) return await temporaryJournal();
  const { href: service } = new URL(baseUrl);
  return await openJournal(folder, {
    format: flags.from,
    source,
    columns,
    tenant: tenant?.id ?? '',
    service,
  });
}

interface Prepared {
  readonly input: Input;
  readonly opened: OpenedFormat;
  readonly tenant: TenantState | undefined;
  readonly journal: Journal;
  readonly files: Files;
  readonly report: PrivateFile | undefined;
}

/** Everything that can be refused before the first row. */
async function prepare(run: Run, input: Input, opened: OpenedFormat): Promise<Prepared> {
  const { flags, service } = run;
  const tenant = await checkTenant(service, flags);
  const journal = await journalOf(run, opened, tenant);
  try {
    const files = openFiles(flags);
    const report = flags.report === undefined ? undefined : openWholeFile(flags.report, 'report');
    return { input, opened, tenant, journal, files, report };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** Calls once, so that a second interruption ends the process. */
const onSignal = (stop: () => void): (() => void) => {
  process.once('SIGINT', stop);
  return () => {
    process.off('SIGINT', stop);
  };
};

async function importPrepared(run: Run, { input, opened, journal, files }: Prepared) {
  const { flags, surroundings, service } = run;
  const { clock = Date.now, environment, onInterrupt = onSignal } = surroundings;
  const now = clock();
  const recorder = new Recorder(journal, run.flags.dryRun === true ? 'dry' : randomUUID(), files);
  const hasJournal = journalFolder(run.file, flags) !== undefined;
  let isInterrupted = false;
  const release = onInterrupt(() => {
    isInterrupted = true;
  });
  const progress = createProgress(surroundings, 'rows');
  try {
    const stopped = await importRows({
      ...opened,
      service,
      deduplicates: flags.deduplicate === 'never' ? false : undefined,
      acceptsPairs: flags.deduplicate === 'map',
      replaces: flags.replace === true,
      journal,
      recorder,
      run: recorder.run,
      digest: hasJournal ? digestWith(flags.journalKey, environment) : digestOnce(),
      assumesOwn: flags.ids !== undefined,
      check: (candidate) =>
        flags.ids === undefined
          ? checkCandidate(candidate, { now, checksMetadata: opened.marksSource })
          : checkAlias(candidate),
      parallel: flags.parallel,
      isDry: flags.dryRun === true,
      isInterrupted: () => isInterrupted,
      progress,
      share: input.share,
    });
    return { counts: recorder.counts, stopped };
  } finally {
    progress.end();
    release();
    for (const file of [files.ids, files.pairs]) file?.close();
  }
}

/** Prints and writes how a run ended. Resolves with whether it is a success. */
async function conclude(
  { flags, surroundings: { printError } }: Run,
  { opened, journal, report }: Prepared,
  { counts, stopped }: Awaited<ReturnType<typeof importPrepared>>,
): Promise<boolean> {
  const print = (line: string) => {
    printError(`${line}\n`);
  };
  const isDry = flags.dryRun === true;
  const ignored = opened.ignored();
  if (ignored.length > 0) print(`not read, and stored nowhere: ${ignored.join(', ')}`);
  await printRows(journal, 'refused', counts.refused, print);
  await printRows(journal, 'different', counts.different, print);
  print(countsLine(counts, isDry));
  if (stopped !== undefined) print(printable(`stopped: ${stopped}; run it again to go on`));
  if (report !== undefined)
    await writeReport(
      report,
      {
        ...counts,
        complete: stopped === undefined,
        dry_run: isDry,
        ignored_columns: ignored,
        ...(stopped !== undefined && { stopped }),
      },
      journal,
    );
  return stopped === undefined && counts.refused <= flags.maxRejected;
}

async function importFile(run: Run): Promise<boolean> {
  const { file, flags, surroundings } = run;
  const input = openInput(file, surroundings.input);
  const opened = await openFormat(input.name, flags, plainText(input.name, input.chunks));
  const prepared = await prepare(run, input, opened);
  try {
    return await conclude(run, prepared, await importPrepared(run, prepared));
  } finally {
    await prepared.journal.close();
  }
}

/** The flags of a command line before the format is known. */
export interface NamedFlags extends Omit<ImportFlags, 'from'> {
  readonly from?: ImportFlags['from'];
}

/** Chooses the file and its format. Throws {@link UsageError} unless one file is named. */
function inputOf(
  file: string | undefined,
  { from, ...flags }: NamedFlags,
): { readonly file: string; readonly flags: ImportFlags } {
  const { ids } = flags;
  if (ids !== undefined) {
    if (file !== undefined || from !== undefined)
      throw new UsageError('--ids has a format of its own: leave out FILE and --from');
    return { file: ids, flags: { ...flags, from: 'aliases' } };
  }
  if (file === undefined) throw new UsageError('name a FILE, or - for standard input');
  if (from === undefined) throw new UsageError(`--from must be ${FORMATS.join(', ')}`);
  return { file, flags: { ...flags, from } };
}

/** `import`. Resolves with whether every row has its token. */
export async function runImport(
  path: string | undefined,
  named: NamedFlags,
  surroundings: ImportSurroundings,
): Promise<boolean> {
  const { file, flags } = inputOf(path, named);
  checkFlags(file, flags);
  try {
    return await callService(flags, surroundings, async (client, { baseUrl, keySource, headerPrefix }) => {
      try {
        const own = surroundings.importService ?? sdkService(client);
        const run = { file, flags, surroundings, baseUrl };
        if (flags.ids === undefined || flags.dryRun === true)
          return await importFile({ ...run, service: own });
        const { clock = Date.now } = surroundings;
        return await withVia(flags, surroundings, { client, headerPrefix, now: clock() }, (service) =>
          importFile({ ...run, service }),
        );
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error;
        throw error.status === 401
          ? new UsageError(`the service rejects the key of ${keySource}: ${error.message}`)
          : new CommandFailure(error.message);
      }
    });
  } catch (error) {
    if (error instanceof FileProblemsError)
      for (const line of error.lines) surroundings.printError(`${line}\n`);
    throw error;
  }
}
