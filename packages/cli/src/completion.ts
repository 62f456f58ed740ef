import { join } from 'node:path';
import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** A place of the command line: behind the name of a command, or behind `cloakroom` itself. */
interface Place {
  /** Such as ` operator health`; empty behind `cloakroom`. */
  readonly path: string;
  /** The commands and words that can follow, each with its description. */
  readonly words: readonly (readonly [word: string, does: string])[];
  readonly options: readonly Option[];
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A person in a clone has no `cloakroom` in the PATH. The program works from any folder. */
const CALL = [process.execPath, join(import.meta.dirname, '../bin/cloakroom.cjs')].map(quoted).join(' ');

/** Lists the places of a command and of its commands. */
function placesOf(command: Command, path: string, inherited: readonly Option[]): readonly Place[] {
  const own = command.createHelp().visibleOptions(command);
  const passed = own.filter(({ long }) => long !== '--version' && long !== '--help');
  const options = [...own, ...inherited];
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const words = [
    ...command.commands.map((each) => [each.name(), each.description()] as const),
    ...choices.map((choice) => [choice, ''] as const),
  ];
  const below = command.commands.flatMap((each) =>
    placesOf(each, `${path} ${each.name()}`, [...passed, ...inherited]),
  );
  return [{ path, words, options }, ...below];
}

const namesOf = ({ words, options }: Place): string =>
  [...words.map(([word]) => word), ...options.flatMap(({ long }) => long ?? [])].join(' ');

const patternOf = (places: readonly Place[]): string =>
  places
    .slice(1)
    .map(({ path }) => quoted(path))
    .join('|');

/** The statements that bash and zsh have in common. */
const statements = (places: readonly Place[], words: string, assign: (names: string) => string): string => `\
  local at='' word
  for word in "${words}"; do
    case "$at $word" in
      ${patternOf(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${places.map((place) => `    ${quoted(place.path)}) ${assign(namesOf(place))} ;;`).join('\n')}
  esac`;

const bash = (places: readonly Place[]): string => `\
command -v cloakroom > /dev/null || cloakroom() { ${CALL} "$@"; }
_cloakroom() {
  local candidates=''
${statements(places, '${COMP_WORDS[@]:1:COMP_CWORD-1}', (names) => `candidates='${names}'`)}
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _cloakroom cloakroom
`;

const zsh = (places: readonly Place[]): string => `\
command -v cloakroom > /dev/null || cloakroom() { ${CALL} "$@"; }
_cloakroom() {
  local -a candidates
${statements(places, '${(@)words[2,CURRENT-1]}', (names) => `candidates=(${names})`)}
  compadd -- $candidates || _files
}
compdef _cloakroom cloakroom
`;

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const where = `complete -c cloakroom -n ${quoted(`test (__cloakroom_at) = "${path}"`)}`;
    return [
      ...words.map(([word, does]) => `${where} -f -a ${word} -d ${quoted(does)}`),
      ...options.map(({ long, required, description: does }) =>
        [where, '-l', (long ?? '').slice(2), ...(required ? ['-r'] : []), '-d', quoted(does)].join(' '),
      ),
    ];
  });
  return `\
type -q cloakroom; or function cloakroom; ${CALL} $argv; end
function __cloakroom_at
  set -l at ''
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${patternOf(places).replaceAll("'|'", "' '")}
        set at "$at $word"
    end
  end
  echo "$at"
end
${lines.join('\n')}
`;
}

/** A script that completes the commands and options of a program, generated from the program. */
export function completionScript(shell: Shell, program: Command): string {
  return { bash, zsh, fish }[shell](placesOf(program, '', []));
}
