import { buildSync } from 'esbuild';
import { BUNDLE_OPTIONS } from '../../../lib/bundle.ts';
import { inSequence, type RecordedCall } from './record-calls.ts';

/** Package and class of the client of each service, by the first word of `X-Amz-Target`. */
const CLIENTS: Readonly<Record<string, readonly [module: string, name: string]>> = {
  DynamoDB_20120810: ['client-dynamodb', 'DynamoDBClient'],
  TrentService: ['client-kms', 'KMSClient'],
  AmazonSQS: ['client-sqs', 'SQSClient'],
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
  const [module, client] = CLIENTS[service] ?? [];
  if (module === undefined || client === undefined)
    throw new Error(`tools/bench/cold-start/same-calls.ts does not know the client of ${target}`);
  return { client, module, command: `${action}Command`, input: body };
}

/** The source of a handler that makes these calls, and answers with this status or with nothing. */
function sourceOf(calls: readonly RecordedCall[], status: number | undefined): string {
  const groups = inSequence(calls).map((group) => group.map(parsed));
  const byModule = Map.groupBy(groups.flat(), ({ module }) => module);
  const imports = [...byModule].map(([module, of]) => {
    const names = new Set(of.flatMap(({ client, command }) => [client, command]));
    return `import { ${[...names].join(', ')} } from '@aws-sdk/${module}';`;
  });
  const clients = new Set(groups.flat().map(({ client }) => client));
  const sending = groups.map((group) => {
    const sent = group.map(
      ({ client, command, input }) =>
        `send(${client}s, new ${command}(JSON.parse(${JSON.stringify(input)}, bytes)))`,
    );
    return `  await Promise.all([${sent.join(', ')}]);`;
  });
  return [
    ...imports,
    ...[...clients].map((client) => `const ${client}s = new ${client}({ maxAttempts: 3 });`),
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
 * Bundles a handler by hand that makes the calls of a function, in the same sequence, by the
 * unmodified SDK, and does nothing else: the least that any code for the event takes.
 */
export function bundleSameCalls(
  calls: readonly RecordedCall[],
  status: number | undefined,
  outfile: string,
): string {
  const { absWorkingDir: resolveDir } = BUNDLE_OPTIONS;
  const stdin = { contents: sourceOf(calls, status), resolveDir, loader: 'ts' } as const;
  buildSync({ ...BUNDLE_OPTIONS, alias: {}, stdin, outfile });
  return outfile;
}
