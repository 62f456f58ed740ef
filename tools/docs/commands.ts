/*
 * Command lines of `cloakroom` in documents and comments. Each is parsed by the program, so that no
 * text names a command or an option that there is not.
 */
import { CommanderError, type Command } from 'commander';
import { UsageError } from '../../bin/command-line/failures.ts';
import { createProgram } from '../../packages/cli/src/create-program.ts';
import { withHelpOption } from '../../packages/cli/src/run-command-line.ts';

const WORD = String.raw`(?:"[^"\n]*"|'[^'\n]*'|[^\s\`|&;<>#()"'])+`;
/** `npm start` is `cloakroom start`. */
const CALL = new RegExp(
  String.raw`(npx cloakroom|(?:^|\`|^\$ )cloakroom|npm start --)((?: +${WORD})+)`,
  'gm',
);

/** The words up to one that ends a sentence. */
function ofOneSentence(words: readonly string[]): readonly string[] {
  const last = words.findIndex((word) => /[.,:]$/.test(word) && !/^\.+$/.test(word));
  return last === -1 ? words : [...words.slice(0, last), (words[last] ?? '').replace(/[.,:]+$/, '')];
}

/**
 * Returns the command lines of a text as lists of words. Without `npx` they begin with a name of
 * `known`, since the service also uses its own name elsewhere.
 */
export function commandsIn(text: string, known: readonly string[]): readonly (readonly string[])[] {
  return [...text.replaceAll('\\\n', ' ').matchAll(CALL)].flatMap(([, call = '', rest = '']) => {
    const words = ofOneSentence([...rest.matchAll(new RegExp(WORD, 'g'))].map(([word]) => word));
    if (call === 'npm start --') return [['start', ...words]];
    return call === 'npx cloakroom' || known.includes(words[0] ?? '') ? [words] : [];
  });
}

/** Lets a command accept any value and do nothing: documents have placeholders. */
function parseOnly(command: Command): void {
  if (command.commands.length === 0) command.action(() => undefined);
  for (const each of [...command.options, ...command.registeredArguments])
    (each as { parseArg: unknown }).parseArg = undefined;
  command.commands.forEach(parseOnly);
}

/** A command line that lacks a value, or ends with the name of a group, is no mistake in a text. */
const ACCEPTED = ['commander.missingArgument', 'commander.optionMissingArgument', 'commander.help'];

export interface CommandCheck {
  /** The names of all commands. */
  readonly names: readonly string[];
  /** Resolves with the problem of a command line, if it has one. */
  readonly problemOf: (words: readonly string[]) => Promise<string | undefined>;
}

const SILENT = {
  print: () => undefined,
  printError: () => undefined,
  isTerminal: false,
  environment: {},
  readInput: () => Promise.resolve(''),
};

/** The whole program, which parses one command line and runs nothing. */
async function parser(): Promise<Command> {
  const program = await createProgram(['completion'], SILENT, () => undefined);
  parseOnly(program);
  return program;
}

/** Loads the commands, to parse command lines. */
export async function commandCheck(): Promise<CommandCheck> {
  return {
    names: (await parser()).commands.map((command) => command.name()),
    problemOf: async (words) => {
      const program = await parser();
      try {
        await program.parseAsync(withHelpOption(words, program), { from: 'user' });
        return undefined;
      } catch (error) {
        if (error instanceof UsageError) return error.message;
        if (!(error instanceof CommanderError)) throw error;
        const isPlaceholder = /unknown command '[A-Z]+'/.test(error.message);
        const isFine = error.exitCode === 0 || ACCEPTED.includes(error.code) || isPlaceholder;
        return isFine ? undefined : error.message.replace('error: ', '').replace('\n', ' ');
      }
    },
  };
}
