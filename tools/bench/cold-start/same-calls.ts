import { buildSync } from 'esbuild';
import { BUNDLE_OPTIONS } from '../../assets/bundle.ts';
import { CLIENTS } from './bundles.ts';
import { inSequence, type RecordedCall } from './record-calls.ts';

/** Finds the package of a client by the first word of `X-Amz-Target`. */
const MODULES: Readonly<Record<string, string>> = {
  DynamoDB_20120810: 'client-dynamodb',
  TrentService: 'client-kms',
  AmazonSQS: 'client-sqs',
};

/** Members of calls to KMS that are bytes; JSON has them in base64, as those of DynamoDB's `B`. */
const BYTES = ['B', 'CiphertextBlob', 'Message', 'Mac'];

interface ParsedCall {
  readonly client: string;
  readonly module: string;
  readonly command: string;
  readonly input: string;
}

function parsed({ target, body }: RecordedCall): ParsedCall {
  const [service = '', action = ''] = target.split('.');
  const module = MODULES[service] ?? '';
  const client = CLIENTS[module];
  if (client === undefined)
    throw new Error(`tools/bench/cold-start/same-calls.ts does not know the client of ${target}`);
  return { client, module, command: `${action}Command`, input: body };
}

interface SameCalls {
  readonly calls: readonly RecordedCall[];
  /** The packages of the clients that the function has, without their scope. */
  readonly clients: readonly string[];
  /** The status of its response, if it returns one. */
  readonly status: number | undefined;
}

/** The source of a handler that has these clients and makes these calls. */
function sourceOf({ calls, clients: modules, status }: SameCalls): string {
  const groups = inSequence(calls).map((group) => group.map(parsed));
  const clients = modules.flatMap((module) => (CLIENTS[module] === undefined ? [] : [CLIENTS[module]]));
  const imports = modules.flatMap((module) => {
    const client = CLIENTS[module];
    if (client === undefined) return [];
    const commands = groups.flat().filter((call) => call.module === module);
    const names = new Set([client, ...commands.map(({ command }) => command)]);
    return [`import { ${[...names].join(', ')} } from '@aws-sdk/${module}';`];
  });
  const sending = groups.map((group) => {
    const sent = group.map(
      ({ client, command, input }) =>
        `send(${client}s, new ${command}(JSON.parse(${JSON.stringify(input)}, bytes)))`,
    );
    return `  await Promise.all([${sent.join(', ')}]);`;
  });
  return [
    ...imports,
    ...clients.map((client) => `const ${client}s = new ${client}({ maxAttempts: 3 });`),
    `const BYTES = ${JSON.stringify(BYTES)};`,
    "const bytes = (name, value) => BYTES.includes(name) && typeof value === 'string' ? Buffer.from(value, 'base64') : value;",
    // The condition of a write that the function made is not met again.
    'const isRepeated = ({ name }) => /ConditionalCheckFailed|TransactionCanceled/.test(name);',
    'const send = async (client, command) => { try { await client.send(command); } catch (error) { if (!isRepeated(error)) throw error; } };',
    'export async function handler() {',
    ...sending,
    `  return ${JSON.stringify(status === undefined ? {} : { statusCode: status })};`,
    '}',
  ].join('\n');
}

/**
 * Bundles a handler by hand that has the clients of a function and makes its calls, in the same
 * sequence, by the unmodified SDK, and does nothing else: the least that any code for the event
 * takes.
 */
export function bundleSameCalls(same: SameCalls, outfile: string): string {
  const { absWorkingDir: resolveDir } = BUNDLE_OPTIONS;
  const stdin = { contents: sourceOf(same), resolveDir, loader: 'ts' } as const;
  buildSync({ ...BUNDLE_OPTIONS, alias: {}, stdin, outfile });
  return outfile;
}
