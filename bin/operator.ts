import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import {
  COMMAND_NAMES,
  COMMANDS,
  FLAGS,
  flagsOf,
  usageOf,
  type CommandName,
  type FlagName,
} from '../functions/operator/command-names.ts';

/** What the command line does around a command, beyond sending its flags. */
interface Command {
  readonly does: string;
  /** For work of many steps: whether an answer is that of the last. */
  readonly isDone?: (answer: Answer) => boolean;
  /** One line about a step that is done. */
  readonly progress?: (answer: Answer) => string;
  /** Whether the answer says that something is wrong: exit code 1. */
  readonly isBad?: (answer: Answer) => boolean;
}

type Answer = Readonly<Record<string, unknown>>;

/** Ids of records that do not open. */
const idsIn = (unreadable: unknown): string =>
  Array.isArray(unreadable) && unreadable.length > 0 ? `; these do not open: ${unreadable.join(', ')}` : '';

const BEHAVIOUR: Readonly<Record<CommandName, Command>> = {
  'create-tenant': { does: 'a new tenant with its first management key and webhook secret' },
  'list-tenants': { does: 'all tenants' },
  'check-tenant': { does: 'opens the keys of a tenant; exit code 1 if they do not open' },
  'rotate-keys': { does: 'another data key; old records keep opening under theirs' },
  'replace-root': { does: 'another root key, for one that may have been copied: begins, or goes on' },
  reseal: {
    does: 'seals old records under the current key while the service goes on',
    isDone: ({ done }) => done === true,
    progress: ({ seen, resealed, left, unreadable }) =>
      `${String(seen)} seen, ${String(resealed)} resealed, ${String(left)} left so far${idsIn(unreadable)}`,
    isBad: ({ left }) => left !== 0,
  },
  'destroy-tenant': {
    does: 'destroys the keys of a tenant, then everything it has; cannot be undone',
    isDone: ({ done }) => done === true,
    progress: ({ removed, what }) => `${String(removed)} ${String(what)} removed`,
  },
  health: {
    does: 'overdue work, queues, parked deliveries, cold reactors; exit code 1 if something is wrong',
    isBad: ({ healthy }) => healthy !== true,
  },
  'rotate-webhook-secret': { does: 'another webhook secret; the old one signs beside it for 24 hours' },
  'list-parked-deliveries': {
    does: 'results that could not be delivered and wait (default 100, the oldest first)',
  },
  'resend-delivery': { does: 'tries a parked delivery again, ten times as before' },
};

const USAGE = `npm run operator -- COMMAND [options]

Commands
${COMMAND_NAMES.map((name) => `  ${usageOf(name).padEnd(46)} ${BEHAVIOUR[name].does}`).join('\n')}

Options
  --function NAME   the operator function (default Cloakroom-operator; the stack output OperatorFunctionName)
  --local [FILE]    the service that npm start runs, by its credentials file (default .local/credentials.json)
  --json            print the answer as JSON
  --help            print this

Uses the AWS credentials and the region of the environment, as the AWS command line does.`;

/** A mistake on the command line: one line, exit code 2. */
class UsageError extends Error {}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: localWithFile(args),
      allowPositionals: true,
      options: {
        ...FLAGS,
        function: { type: 'string', default: 'Cloakroom-operator' },
        local: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** `--local` alone means the default file. */
function localWithFile(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const next = args[index + 1];
    return arg === '--local' && (next === undefined || next.startsWith('--'))
      ? [arg, '.local/credentials.json']
      : [arg];
  });
}

type Arguments = ReturnType<typeof parse>;

const isCommand = (name: string): name is CommandName => COMMAND_NAMES.some((each) => each === name);

function commandOf({ values, positionals }: Arguments): {
  readonly command: Command;
  readonly payload: Answer;
} {
  const [name, ...rest] = positionals;
  if (name === undefined) throw new UsageError('a command is missing');
  if (rest.length > 0) throw new UsageError(`unexpected argument: ${rest.join(' ')}`);
  if (!isCommand(name)) throw new UsageError(`unknown command: ${name}`);
  const missing = COMMANDS[name].needs.filter((flag) => values[flag] === undefined || values[flag] === '');
  if (missing.length > 0)
    throw new UsageError(`${name} needs ${missing.map((flag) => `--${flag}`).join(' and ')}`);
  const members = flagsOf(name).map((flag) => [FLAGS[flag].member, valueOf(values, flag)] as const);
  return { command: BEHAVIOUR[name], payload: { command: name, ...Object.fromEntries(members) } };
}

function valueOf(values: Arguments['values'], flag: FlagName): unknown {
  return flag === 'limit' && values.limit !== undefined ? Number(values.limit) : values[flag];
}

/**
 * The endpoint of the local service; whoever has no credentials of a role there is the
 * administrator of the account.
 */
function localClient(credentialsFile: string): LambdaClientConfig {
  let endpoint: unknown;
  try {
    endpoint = (JSON.parse(readFileSync(credentialsFile, 'utf8')) as { aws_endpoint_url?: unknown })
      .aws_endpoint_url;
  } catch {
    throw new UsageError(`${credentialsFile} cannot be read; is the service running (npm start)?`);
  }
  if (typeof endpoint !== 'string') throw new UsageError(`${credentialsFile} names no aws_endpoint_url`);
  return {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'operator', secretAccessKey: 'operator' },
  };
}

function messageOf(failure: Readonly<Record<string, unknown>>): string {
  const message = failure['errorMessage'];
  return typeof message === 'string' ? message : 'the operator function failed';
}

async function invoke(client: LambdaClient, functionName: string, payload: Answer): Promise<Answer> {
  const answer = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(payload) }),
  );
  const result = JSON.parse(Buffer.from(answer.Payload ?? []).toString('utf8')) as Answer;
  if (answer.FunctionError !== undefined) throw new Error(messageOf(result));
  return result;
}

/**
 * Carries a command out, step by step if it has steps. Progress goes to standard error, so that
 * `--json` stays JSON.
 */
async function carryOut(args: Arguments): Promise<{ readonly command: Command; readonly result: Answer }> {
  const { command, payload } = commandOf(args);
  const { local, function: name } = args.values;
  const client = new LambdaClient(local === undefined ? {} : localClient(local));
  for (;;) {
    const result = await invoke(client, name, payload);
    if (command.progress !== undefined) console.error(command.progress(result));
    if (command.isDone === undefined || command.isDone(result)) return { command, result };
    // Somebody is at work on what is left.
    if (result['removed'] === 0) await sleep(5_000);
  }
}

/** A value as text; members of an object beside one another. */
function shown(value: unknown): string {
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name} ${String(member)}`)
    .join(', ');
}

function lines(result: Readonly<Record<string, unknown>>): readonly string[] {
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  return Object.entries(result).map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A result as lines, a list in it as blocks of lines; or all of it as JSON. */
function print(result: Readonly<Record<string, unknown>>, asJson: boolean): void {
  if (asJson) {
    console.log(JSON.stringify(result));
    return;
  }
  for (const [name, value] of Object.entries(result)) {
    if (!Array.isArray(value)) continue;
    const blocks = value.filter(isRecord).map((each) => lines(each).join('\n'));
    console.log(blocks.length === 0 ? `no ${name}` : blocks.join('\n\n'));
  }
  const plain = Object.fromEntries(Object.entries(result).filter(([, value]) => !Array.isArray(value)));
  for (const line of Object.keys(plain).length === 0 ? [] : lines(plain)) console.log(line);
}

async function main(): Promise<void> {
  const args = parse(process.argv.slice(2));
  if (args.values.help) {
    console.log(USAGE);
    return;
  }
  const { command, result } = await carryOut(args);
  print(result, args.values.json);
  if (command.isBad?.(result) === true) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(`operator: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
