import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import type { NewToken, Token, TokenQuery } from '../../packages/sdk/src/index.ts';
import { confirm } from '../command-line/confirm.ts';
import { connectionOptions, type ConnectionFlags } from '../command-line/connection.ts';
import { limitOf, limitOption, pageSizeOf } from '../command-line/limit.ts';
import { pairOf } from '../command-line/pair-of.ts';
import { filled, repeatableOption } from '../command-line/values.ts';
import { readJson } from '../command-line/read-json.ts';
import { callService, firstOf, type ServiceSurroundings } from '../command-line/service-call.ts';
import { printable, show } from '../command-line/show.ts';

/** Every token is shown under this, unless a person asks for more. */
const MASKED = { transform: 'mask' } as const;

interface Flags extends ConnectionFlags {
  readonly json?: true;
  readonly reveal?: true;
  readonly yes?: true;
  readonly container?: string;
  readonly metadata?: readonly (readonly [name: string, value: string])[];
  readonly limit?: number;
}

/** Shows a token in lines. Its lists are short, and belong to their names. */
const shown = (token: Token): string =>
  show(
    Object.fromEntries(
      Object.entries(token).map(([name, value]) => [
        name,
        Array.isArray(value)
          ? value.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(', ')
          : value,
      ]),
    ),
    false,
  );

const printToken = (token: Token, { json }: Flags, { print }: ServiceSurroundings): void =>
  print(json === true ? show({ ...token }, true) : shown(token));

/** Shows a token of a list in one line. */
const row = ({ id, type, containers, data }: Token): string =>
  printable(
    [id, type, containers.join(','), data === undefined ? '' : JSON.stringify(data)].join('  ').trimEnd(),
  );

function queryOf({ container, metadata, limit }: Flags): TokenQuery {
  return {
    size: pageSizeOf(limitOf({ ...(limit !== undefined && { limit }) })),
    ...(container !== undefined && { container }),
    ...(metadata !== undefined && { metadata: Object.fromEntries(metadata) }),
  };
}

function command(name: string, does: string): Command {
  return new Command(name).description(does);
}

/** Adds what all commands have, behind their own options. */
function complete(own: Command, run: (flags: Flags, argument: string) => Promise<void>): Command {
  for (const option of connectionOptions()) own.addOption(option);
  return own.addOption(new Option('--json', 'print JSON')).action(async (...all: readonly unknown[]) => {
    await run(own.opts<Flags>(), typeof all[0] === 'string' ? all[0] : '');
  });
}

const yes = () => new Option('--yes', 'do not ask');

function getCommand(surroundings: ServiceSurroundings): Command {
  const get = command('get', 'Prints a token, with masked data')
    .argument('<ID>', 'the id of the token')
    .addOption(new Option('--reveal', 'print the data as the rules of the key show it, after a question'))
    .addOption(yes());
  return complete(get, async (flags, id) => {
    const { reveal } = flags;
    if (reveal === true) await confirm('The data is printed in plaintext.', flags.yes === true, surroundings);
    const token = await callService(flags, surroundings, async (client) =>
      client.tokens.retrieve(id, reveal === true ? {} : MASKED),
    );
    printToken(token, flags, surroundings);
  });
}

function listCommand(surroundings: ServiceSurroundings): Command {
  const list = command('list', 'Lists tokens with masked data, one in a line')
    .addOption(
      new Option('--container <PATH>', 'only tokens in it and below it, such as /pci/').argParser(
        filled('container'),
      ),
    )
    .addOption(
      repeatableOption('--metadata <NAME=VALUE>', 'only tokens with this pair; repeat it for more', pairOf),
    )
    .addOption(limitOption());
  return complete(list, async (flags) => {
    const tokens = await callService(flags, surroundings, (client) =>
      firstOf(client.tokens.list(queryOf(flags), MASKED), limitOf(flags)),
    );
    surroundings.print(
      flags.json === true ? show({ data: tokens }, true) : tokens.map((token) => `${row(token)}\n`).join(''),
    );
  });
}

function createCommand(surroundings: ServiceSurroundings): Command {
  const create = command('create', 'Creates a token and prints it, with masked data').argument(
    '[FILE]',
    'the body of POST /tokens as JSON; standard input without it',
  );
  return complete(create, async (flags, file) => {
    const body = (await readJson(file === '' ? undefined : file, surroundings)) as NewToken<unknown>;
    // A repetition after a lost response creates no second token.
    const writing = { ...MASKED, idempotencyKey: randomUUID() };
    const token = await callService(flags, surroundings, async (client) =>
      client.tokens.create(body as never, writing),
    );
    printToken(token, flags, surroundings);
  });
}

function deleteCommand(surroundings: ServiceSurroundings): Command {
  const remove = command('delete', 'Deletes a token, after a question')
    .argument('<ID>', 'the id of the token')
    .addOption(yes());
  return complete(remove, async (flags, id) => {
    await confirm('The token is deleted for ever.', flags.yes === true, surroundings);
    await callService(flags, surroundings, async (client) => client.tokens.delete(id));
    surroundings.print(show({ deleted: id }, flags.json === true));
  });
}

/** `tokens` with its commands. */
export function tokensCommand(surroundings: ServiceSurroundings): Command {
  const tokens = new Command('tokens').usage('COMMAND [options]');
  for (const create of [getCommand, listCommand, createCommand, deleteCommand])
    tokens.addCommand(create(surroundings));
  return tokens;
}
