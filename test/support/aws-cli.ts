import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { search } from '@aws-lambda-powertools/jmespath';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as lambda from '@aws-sdk/client-lambda';
import { administratorSettings, type LocalAdministrator } from '../../packages/local-aws/src/control.ts';

type Json = Record<string, any>;

const pascal = (name: string): string =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Bytes are base64 in JSON, in both directions. */
const fromJson = (text: string): unknown =>
  JSON.parse(text, (name, value: unknown) =>
    name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
  );
const toJson = (value: unknown): string =>
  JSON.stringify(
    value,
    (_name, member: unknown) =>
      member instanceof Uint8Array ? Buffer.from(member).toString('base64') : member,
    4,
  );

/** JSON, `A=b,C=true`, a number, or otherwise a text, by the rules of the command line. */
function valueOf(text: string): unknown {
  if (/^[[{]/.test(text)) return fromJson(text);
  if (/^\d+$/.test(text)) return Number(text);
  if (!/^\w+=/.test(text)) return text;
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return [name, value === 'true' || (value === 'false' ? false : value)];
    }),
  );
}

interface Command {
  readonly input: Json;
  readonly query?: string;
  readonly isText: boolean;
}

function parse(args: readonly string[], folder: string): Command {
  const command = { input: {} as Json, isText: false, query: undefined as string | undefined };
  for (let at = 0; at < args.length; at += 1) {
    const option = args[at] ?? '';
    if (!option.startsWith('--')) throw new Error(`unexpected ${option}`);
    const hasValue = at + 1 < args.length && args[at + 1]?.startsWith('--') === false;
    const value = hasValue ? (args[(at += 1)] ?? '') : undefined;
    const fileName = value?.startsWith('file://') === true ? resolve(folder, value.slice(7)) : undefined;
    const text = fileName === undefined ? value : readFileSync(fileName, 'utf8');
    if (option === '--output') command.isText = value === 'text';
    else if (option === '--query') command.query = value;
    else if (option === '--cli-binary-format') {
      if (value !== 'base64') throw new Error(`unknown format of bytes ${String(value)}`);
    } else if (option === '--cli-input-json') Object.assign(command.input, fromJson(text ?? ''));
    else if (text !== undefined) command.input[pascal(option.slice(2))] = valueOf(text);
    else if (option.startsWith('--no-')) command.input[pascal(option.slice(5))] = false;
    else command.input[pascal(option.slice(2))] = true;
  }
  const { query, ...rest } = command;
  return query === undefined ? rest : { ...rest, query };
}

/** Text in the output format of the command line: a row per line, with cells separated by tabs. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (!Array.isArray(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  return value.every(Array.isArray) ? value.map(textOf).join('\n') : value.map(textOf).join('\t');
}

/** Emulates the AWS command line for the calls of one local account. */
function player(account: LocalAdministrator) {
  const settings = administratorSettings(account);
  const services: Record<
    string,
    { readonly module: Json; readonly client: { send(command: any): Promise<Json> } }
  > = {
    dynamodb: { module: dynamodb, client: new dynamodb.DynamoDBClient(settings) },
    lambda: { module: lambda, client: new lambda.LambdaClient(settings) },
  };

  return async (
    [service = '', operation = '', ...args]: readonly string[],
    folder: string,
  ): Promise<string> => {
    const found = services[service];
    if (found === undefined) throw new Error(`unknown service ${service}`);
    const { input, query, isText } = parse(args, folder);
    const Call = found.module[`${pascal(operation)}Command`] as new (input: Json) => object;
    const { $metadata: _, ...response } = await found.client.send(new Call(input));
    // The command line requests the next page by itself.
    for (const more of ['NextMarker', 'LastEvaluatedKey', 'LastEvaluatedTableName'])
      if (response[more] !== undefined) throw new Error(`${operation} has more than one page`);
    const shown = query === undefined ? response : search(query, response);
    return isText ? textOf(shown) : toJson(shown);
  };
}

/** A folder with a program `aws`, to come first in the PATH, and a way to stop it. */
export interface AwsCli {
  readonly folder: string;
  close(): void;
}

/**
 * The request of the program: the number of texts, the folder that it runs in, and its arguments,
 * each ended by a NUL. Resolves once all are there.
 */
async function received(socket: Socket): Promise<readonly string[] | undefined> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    const [count, ...texts] = bytes.toString().split('\0').slice(0, -1);
    if (count !== undefined && texts.length === Number(count)) return texts;
  }
  return undefined;
}

/**
 * An AWS command line for scripts: it knows DynamoDB and Lambda, and parses its arguments like the
 * real one. `onCalled` is called for each completed call, before the script gets its response.
 */
export async function startAwsCli(
  account: LocalAdministrator,
  onCalled: (operation: string) => void = () => undefined,
): Promise<AwsCli> {
  const play = player(account);
  const server = createServer((socket) => {
    // The program was killed.
    socket.on('error', () => undefined);
    void (async () => {
      const [cwd = '', ...args] = (await received(socket)) ?? [];
      const response = await play(args, cwd).then(
        (out) => ({ code: 0, out }),
        (error: unknown) => ({ code: 254, out: `aws ${args.join(' ')}: ${String(error)}` }),
      );
      if (response.code === 0) onCalled(args[1] ?? '');
      socket.end(`${String(response.code)}\n${response.out}\n`);
    })();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-aws-'));
  // Not a Node.js program: a script runs hundreds, and each would take a tenth of a second.
  const program = `#!/usr/bin/env bash
exec 3<> /dev/tcp/127.0.0.1/${String(port)}
printf '%s\\0' $(($# + 1)) "$PWD" "$@" >&3
IFS= read -r code <&3
if [ "$code" = 0 ]; then cat <&3; else cat <&3 >&2; fi
exit "\${code:-1}"
`;
  writeFileSync(join(folder, 'aws'), program, { mode: 0o755 });
  return { folder, close: () => server.close() };
}
