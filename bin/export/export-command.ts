import { Command, Option } from 'commander';
import { connectionOptions } from '../command-line/connection.ts';
import { UsageError } from '../command-line/failures.ts';
import { pairOf } from '../command-line/pair-of.ts';
import type { StreamSurroundings } from '../command-line/stream-surroundings.ts';
import { filled, repeatableOption } from '../command-line/values.ts';
import { timeOf, typeOf } from './filter.ts';
import { FORMAT_NAMES } from './formats/format.ts';
import type { ExportFlags } from './run-export.ts';

const ROWS_MAX = 10_000_000;

function rowsOf(text: string): number {
  const rows = Number(text);
  if (/^\d+$/.test(text) && rows >= 1 && rows <= ROWS_MAX) return rows;
  throw new UsageError(`--part-rows must be a whole number from 1 to ${String(ROWS_MAX)}`);
}

const filterOptions = (): readonly Option[] => [
  new Option('--container <PATH>', 'only tokens in it and below it, such as /pci/').argParser(
    filled('container'),
  ),
  repeatableOption('--type <TYPE>', 'only tokens of this type; repeat it for more', typeOf),
  repeatableOption('--metadata <NAME=VALUE>', 'only tokens with this pair; repeat it for more', pairOf),
  new Option('--created-after <TIME>', 'only tokens created then or later').argParser(
    timeOf('created-after'),
  ),
  new Option('--created-before <TIME>', 'only tokens created earlier').argParser(timeOf('created-before')),
];

const formOptions = (): readonly Option[] => [
  new Option('--columns <LIST>', 'columns of csv, such as id,data.number,metadata.customer').argParser(
    filled('columns'),
  ),
  new Option('--spreadsheet', "put ' before cells that a spreadsheet would run as formulas"),
];

const partOptions = (): readonly Option[] => [
  new Option('--part-rows <N>', 'most tokens of a part').argParser(rowsOf),
  new Option(
    '--exec <COMMAND>',
    'run for each part, which it reads; {n} is the number of the part',
  ).argParser(filled('exec')),
  new Option(
    '--manifest <FILE>',
    'what was exported; a run goes on where it ends (default with --exec: manifest.json)',
  ).argParser(filled('manifest')),
  new Option('--sign-with <FILE>', 'a private key in PEM, which signs the manifest into FILE.sig').argParser(
    filled('sign-with'),
  ),
  new Option('--yes', 'do not ask'),
];

/** `export` calls a service as any client of it. */
export function exportCommand(surroundings: StreamSurroundings): Command {
  const command = new Command('export').addOption(
    new Option('--to <FORMAT>', 'the format').choices(FORMAT_NAMES).makeOptionMandatory(),
  );
  for (const option of [...filterOptions(), ...formOptions(), ...partOptions(), ...connectionOptions()])
    command.addOption(option);
  command.addHelpText(
    'after',
    '\nThe key is that of a private application with token:read. What it sees is what leaves.',
  );
  return command.action(async () => {
    const { runExport } = await import('./run-export.ts');
    await runExport(command.opts<ExportFlags>(), surroundings);
  });
}
