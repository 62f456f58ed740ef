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
  /** Whether an argument of any text can follow, which is completed as the name of a file. */
  readonly takesText: boolean;
  readonly options: readonly Option[];
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A person in a clone has no `cloakroom` in the PATH. The program works from any folder. */
const CALL = [process.execPath, join(import.meta.dirname, '../bin/cloakroom.cjs')].map(quoted).join(' ');

/** Lists the places of a command and of its commands. */
function placesOf(command: Command, path: string, inherited: readonly Option[]): readonly Place[] {
  const help = command.createHelp();
  const own = help.visibleOptions(command);
  const passed = own.filter(({ long }) => long !== '--version' && long !== '--help');
  const options = [...own, ...inherited];
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const words = [
    // They include `help`.
    ...help.visibleCommands(command).map((each) => [each.name(), each.description()] as const),
    ...choices.map((choice) => [choice, ''] as const),
  ];
  const takesText = command.registeredArguments.some(({ argChoices }) => argChoices === undefined);
  const below = command.commands.flatMap((each) =>
    placesOf(each, `${path} ${each.name()}`, [...passed, ...inherited]),
  );
  return [{ path, words, takesText, options }, ...below];
}

const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** Throws for a word that a shell would not take as it is. */
function requirePlain(places: readonly Place[]): void {
  const words = places.flatMap(({ path, options, words: of }) => [
    ...path.split(' ').filter((part) => part !== ''),
    ...of.map(([word]) => word),
    ...options.flatMap(({ long, argChoices = [] }) => [long ?? '', ...argChoices]),
  ]);
  const odd = words.find((word) => !/^[\w:.-]*$/.test(word));
  if (odd !== undefined) throw new Error(`the completion cannot offer ${odd}`);
}

/** Lists the options with a value, such as ` start --port`, by the choices for the value. */
function valuedOptions(places: readonly Place[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { path, options } of places)
    for (const { long, argChoices = [] } of options.filter(takesValue)) {
      const choices = argChoices.join(' ');
      found.set(choices, [...(found.get(choices) ?? []), `${path} ${long ?? ''}`]);
    }
  return found;
}

const pathsOf = (places: readonly Place[]): readonly string[] => places.slice(1).map(({ path }) => path);

const patternOf = (texts: readonly string[]): string => texts.map(quoted).join('|');

type Assign = (names: readonly string[]) => string;

/** Without candidates a shell completes the names of files. */
function candidatesAt({ words, options, takesText }: Place, assign: Assign): string {
  const names = words.map(([word]) => word);
  const flags = options.flatMap(({ long }) => long ?? []);
  return takesText
    ? `[[ $current == -* ]] && ${assign(flags)} || ${assign(names)}`
    : assign([...names, ...flags]);
}

/**
 * The statements that bash and zsh have in common. They read `before`, which has the words between
 * `cloakroom` and the `current` one.
 */
const statements = (places: readonly Place[], assign: Assign): string => `\
  local at='' word value=''
  for word in "\${before[@]}"; do
    if [[ -n $value && $word != -* ]]; then
      value=''
      continue
    fi
    value=''
    ${assign([])}
    case "$at $word" in
      ${patternOf(pathsOf(places))}) at="$at $word" ;;
${[...valuedOptions(places)]
  .map(([choices, names]) => `      ${patternOf(names)}) value=yes; ${assign([choices])} ;;`)
  .join('\n')}
    esac
  done
  if [[ -z $value || $current == -* ]]; then
    case "$at" in
${places.map((place) => `      ${quoted(place.path)}) ${candidatesAt(place, assign)} ;;`).join('\n')}
    esac
  fi`;

/**
 * Bash takes a value apart at each `:` and `=`, and replaces only the last part of it. Without a
 * candidate it completes the names of files, by `-o default`.
 */
const bash = (places: readonly Place[]): string => `\
command -v cloakroom > /dev/null || cloakroom() { ${CALL} "$@"; }
_cloakroom() {
  local -a before=()
  local candidates='' current part joined=yes last=0
  for part in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $part == = && \${before[last]} == --* ]]; then
      last=$((last + 1))
      before[last]=''
      joined=yes
    elif [[ $part == [:=] ]]; then
      before[last]+=$part
      joined=yes
    elif [[ -n $joined ]]; then
      before[last]+=$part
      joined=''
    else
      last=$((last + 1))
      before[last]=$part
    fi
  done
  current=\${before[last]}
  unset "before[last]"
  [[ $part == [:=] ]] && part=''
${statements(places, (names) => `candidates='${names.join(' ')}'`)}
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
  COMPREPLY=("\${COMPREPLY[@]#"\${current%"$part"}"}")
}
complete -o default -F _cloakroom cloakroom
`;

const zsh = (places: readonly Place[]): string => `\
command -v cloakroom > /dev/null || cloakroom() { ${CALL} "$@"; }
(( $+functions[compdef] )) || { autoload -U compinit && compinit -i; }
_cloakroom() {
  local -a candidates before=("\${(@)words[2,CURRENT-1]}")
  if [[ $PREFIX == --*=* ]]; then
    before+=("\${PREFIX%%=*}")
    compset -P 1 '*='
  fi
  local current=$PREFIX
${statements(places, (names) => `candidates=(${names.join(' ')})`)}
  compadd -- $candidates || _files
}
compdef _cloakroom cloakroom
`;

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, takesText, options }) => {
    const where = `complete -c cloakroom -n ${quoted(`test (__cloakroom_at) = "${path}"`)}`;
    const valueOf = ({ argChoices, required }: Option): readonly string[] =>
      argChoices === undefined ? (required ? ['-r', '-F'] : []) : ['-x', '-a', quoted(argChoices.join(' '))];
    return [
      // An optional value is for fish no value of the option, and so it may be another word.
      ...(takesText || options.some(({ optional }) => optional) ? [] : [`${where} -f`]),
      ...words.map(([word, does]) => `${where} -f -a ${word} -d ${quoted(does)}`),
      ...options.map((option) =>
        [
          where,
          '-l',
          (option.long ?? '').slice(2),
          ...valueOf(option),
          '-d',
          quoted(option.description),
        ].join(' '),
      ),
    ];
  });
  const listOf = (texts: readonly string[]) => texts.map(quoted).join(' ');
  return `\
type -q cloakroom; or function cloakroom; ${CALL} $argv; end
function __cloakroom_at
  set -l at ''
  set -l value ''
  for word in (commandline -opc)[2..]
    if test -n "$value"; and not string match -q -- '-*' $word
      set value ''
      continue
    end
    set value ''
    switch "$at $word"
      case ${listOf(pathsOf(places))}
        set at "$at $word"
      case ${listOf([...valuedOptions(places).values()].flat())}
        set value yes
    end
  end
  echo "$at"
end
${lines.join('\n')}
`;
}

/** A script that completes the commands and options of a program, generated from the program. */
export function completionScript(shell: Shell, program: Command): string {
  const places = placesOf(program, '', []);
  requirePlain(places);
  return { bash, zsh, fish }[shell](places);
}
