import { join } from 'node:path';
import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

interface Completed {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  readonly words: readonly string[];
}

const PROJECT = join(import.meta.dirname, '../..');

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Works from any folder: npm finds the project by its folder, and runs its own Node.js. */
const CALL = `npm --prefix ${quoted(PROJECT)} run --silent operator --`;

/** The words that can follow each command, as in its help. */
function completedOf(program: Command): readonly Completed[] {
  const help = program.createHelp();
  return program.commands.map((command) => {
    const options = [
      ...help.visibleOptions(command),
      ...program.options.filter(({ long }) => long !== '--version'),
    ];
    const choices = [
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ...command.commands.map((step) => step.name()),
    ];
    return {
      name: command.name(),
      description: command.description(),
      options,
      words: [...choices, ...options.flatMap(({ long }) => long ?? [])],
    };
  });
}

/** The candidates for a word: commands, and after a command its options. */
const casesOf = (commands: readonly Completed[], assign: (words: string) => string) =>
  commands.map(({ name, words }) => `      ${name}) ${assign(words.join(' '))} ;;`).join('\n');

function bash(commands: readonly Completed[]): string {
  return `operator() { ${CALL} "$@"; }
_operator() {
  local candidates='${commands.map(({ name }) => name).join(' ')}' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
${casesOf(commands, (words) => `candidates='${words}'; break`)}
    esac
  done
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _operator operator
`;
}

function zsh(commands: readonly Completed[]): string {
  return `operator() { ${CALL} "$@"; }
_operator() {
  local -a candidates=(${commands.map(({ name }) => name).join(' ')})
  local word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in
${casesOf(commands, (words) => `candidates=(${words}); break`)}
    esac
  done
  compadd -- $candidates || _files
}
compdef _operator operator
`;
}

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, description, options, words }) => [
    `complete -c operator -f -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
    ...words
      .filter((word) => !word.startsWith('--'))
      .map((word) => `complete -c operator -f -n '__fish_seen_subcommand_from ${name}' -a ${word}`),
    ...options.map(({ long, required, description: does }) =>
      [
        `complete -c operator -n '__fish_seen_subcommand_from ${name}' -l ${(long ?? '').slice(2)}`,
        ...(required ? ['-r'] : []),
        `-d ${quoted(does)}`,
      ].join(' '),
    ),
  ]);
  return `function operator; ${CALL} $argv; end\n${lines.join('\n')}\n`;
}

/**
 * A script that defines `operator` and completes its commands and options, generated from the table
 * of commands.
 */
export function completionScript(shell: Shell, program: Command): string {
  return { bash, zsh, fish }[shell](completedOf(program));
}
