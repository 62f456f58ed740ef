import { Command, Option } from 'commander';
import { connectionOptions } from '../command-line/connection.ts';
import { UsageError } from '../command-line/failures.ts';
import { filled, repeatableOption } from '../command-line/values.ts';
import { FORMATS } from './format-names.ts';
import type { ImportSurroundings } from './import-surroundings.ts';
import type { ImportFlags } from './run-import.ts';

type Flags = Omit<ImportFlags, 'from'> & Partial<Pick<ImportFlags, 'from'>>;

const PARALLEL_MAX = 16;

const wholeNumber =
  (name: string, least: number, most: number) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d{1,12}$/.test(text) && number >= least && number <= most) return number;
    throw new UsageError(`--${name} must be a whole number from ${String(least)} to ${String(most)}`);
  };

const option = (flags: string, name: string, does: string): Option =>
  new Option(flags, does).argParser(filled(name));

const options = (): readonly Option[] => [
  new Option('--from <FORMAT>', 'the format of the file').choices(FORMATS),
  option('--map <FILE>', 'map', 'YAML from members of a token to columns, for --from csv'),
  option('--source <NAME>', 'source', 'the system that the old ids are from; part of each new id'),
  new Option('--keep-ids', 'the tokens get the old ids'),
  repeatableOption(
    '--container <PATH>',
    'the container of the tokens; repeat it for more',
    filled('container'),
  ),
  option(
    '--details <CONTAINER>',
    'details',
    'write what a card cannot have, such as names and addresses, into tokens of their own',
  ),
  option('--journal <FOLDER>', 'journal', 'what was done (default: FILE.import-journal)'),
  new Option('--no-journal', 'a later run does not know what this one did'),
  option('--journal-key <FILE>', 'journal-key', 'key of the digests in the journal, made at its first use'),
  option('--report <FILE>', 'report', 'write the numbers and the rows with a problem as JSON'),
  option('--ids-out <FILE>', 'ids-out', 'write CSV with the old and the new id of each row'),
  new Option('--replace', 'change tokens that differ from the file'),
  new Option('--deduplicate <HOW>', 'if the tenant deduplicates tokens').choices(['map', 'never']),
  option('--pairs-out <FILE>', 'pairs-out', 'CSV with rows whose data has another id, for --deduplicate map'),
  new Option('--dry-run', 'check all rows, and write nothing'),
  new Option('--max-rejected <N>', 'refused rows that are no failure')
    .default(0)
    .argParser(wholeNumber('max-rejected', 0, 1e12)),
  new Option('--parallel <N>', 'requests at a time')
    .default(4)
    .argParser(wholeNumber('parallel', 1, PARALLEL_MAX)),
  ...connectionOptions(),
];

/** `import`, which calls a service as a client. */
export function importCommand(surroundings: ImportSurroundings, failed: () => void): Command {
  const command = new Command('import').argument(
    '[FILE]',
    'the export of another system; - for standard input',
  );
  for (const each of options()) command.addOption(each);
  return command.action(async (file: string | undefined) => {
    const { from, ...flags } = command.opts<Flags>();
    if (file === undefined) throw new UsageError('name a FILE, or - for standard input');
    if (from === undefined) throw new UsageError(`--from must be ${FORMATS.join(', ')}`);
    const { runImport } = await import('./run-import.ts');
    if (!(await runImport(file, { ...flags, from }, surroundings))) failed();
  });
}
