import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command, Help } from 'commander';
import type { Surroundings } from '../../../bin/command-line/surroundings.ts';
import { refuseRepetition } from '../../../bin/command-line/values.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';
import { completionScript, SHELLS, type Shell } from './completion.ts';

const EXIT_CODES = `
Exit codes
  0  success
  1  failure, or a check found a problem
  2  invalid command line; nothing was done`;

const COMPLETION = 'completion';

function versionOf(): string {
  const file = join(import.meta.dirname, '../package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

/** Commander applies the settings of a parent only to commands that it creates itself. */
function inheriting(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent).helpOption('-h, --help', 'print this');
  refuseRepetition(command);
  for (const each of command.commands) inheriting(each, command);
  return command;
}

/** Commander prints its suggestion on a separate line. */
const oneLine = (text: string) =>
  text
    .replace(/^error: /, '')
    .replace('\n(', ' (')
    .trim();

function emptyProgram({ print, printError }: Surroundings): Command {
  return new Command('cloakroom')
    .usage('COMMAND [options]')
    .description('Runs and manages Cloakroom, a tokenization service.')
    .version(versionOf(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand('help [COMMAND]', 'Explains a command')
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (command) =>
        Object.assign(new Help(), { showGlobalOptions: true })
          .visibleGlobalOptions(command)
          .filter(({ long }) => long !== '--version'),
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({
      writeOut: print,
      writeErr: printError,
      outputError: (text, write) => write(`cloakroom: ${oneLine(text)}\n`),
    })
    .addHelpText('afterAll', EXIT_CODES)
    .exitOverride();
}

/** The words of a command line that may name commands, without `help`. */
export const namesIn = (args: readonly string[]): readonly string[] =>
  args.filter((arg) => !arg.startsWith('-') && arg !== 'help');

/**
 * The program with the commands that a command line needs. Of the others it has the name and the
 * line of help, because their files take time to load.
 */
export async function createProgram(
  args: readonly string[],
  surroundings: Surroundings,
  failed: (exitCode?: number) => void,
  entries: readonly CommandEntry[] = COMMANDS,
): Promise<Command> {
  const [named] = namesIn(args);
  const program = emptyProgram(surroundings);
  for (const { name, does, load } of entries) {
    const isNeeded = named === name || named === COMPLETION;
    const command = isNeeded ? (await load())(surroundings, failed) : new Command(name);
    program.addCommand(inheriting(command.description(does), program));
  }
  const completion = new Command(COMPLETION)
    .description('Prints a shell script that completes commands and options')
    .addArgument(new Argument('<SHELL>', 'whose script').choices(SHELLS))
    .action((shell: Shell) => surroundings.print(completionScript(shell, program)));
  const version = new Command('version')
    .description('Prints the version')
    .action(() => surroundings.print(`${versionOf()}\n`));
  for (const command of [completion, version]) program.addCommand(inheriting(command, program));
  return program;
}
