import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';

const USAGE = `npm run operator -- COMMAND [options]

Commands
  create-tenant --name NAME   a new tenant with its first management key and webhook secret

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
        name: { type: 'string' },
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

function payload({ values, positionals }: Arguments): Readonly<Record<string, string>> {
  const [command, ...rest] = positionals;
  if (command === undefined) throw new UsageError('a command is missing');
  if (rest.length > 0) throw new UsageError(`unexpected argument: ${rest.join(' ')}`);
  if (command !== 'create-tenant') throw new UsageError(`unknown command: ${command}`);
  if (values.name === undefined || values.name === '') throw new UsageError('create-tenant needs --name');
  return { command, name: values.name };
}

/** The endpoint of the local service; whoever has no credentials of a role there is the administrator of the account. */
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

async function invoke(
  { values }: Arguments,
  command: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const client = new LambdaClient(values.local === undefined ? {} : localClient(values.local));
  const answer = await client.send(
    new InvokeCommand({ FunctionName: values.function, Payload: JSON.stringify(command) }),
  );
  const result = JSON.parse(Buffer.from(answer.Payload ?? []).toString('utf8')) as Readonly<
    Record<string, unknown>
  >;
  if (answer.FunctionError !== undefined) throw new Error(messageOf(result));
  return result;
}

function print(result: Readonly<Record<string, unknown>>, asJson: boolean): void {
  if (asJson) {
    console.log(JSON.stringify(result));
    return;
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(width)}  ${String(value)}`);
}

async function main(): Promise<void> {
  const args = parse(process.argv.slice(2));
  if (args.values.help) console.log(USAGE);
  else print(await invoke(args, payload(args)), args.values.json);
}

try {
  await main();
} catch (error) {
  console.error(`operator: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
