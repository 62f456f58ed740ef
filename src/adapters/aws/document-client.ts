import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type TranslateConfig } from '@aws-sdk/lib-dynamodb';
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';

/**
 * Where an input or an output has values to convert: `null` is a value, an empty object has one in
 * each member, `*` describes each member, and other names describe some members.
 */
type Nodes = { readonly [name: string]: Nodes } | null;

type Convert = (value: never) => unknown;

const EACH = '*';

/** Describes each member, if all are alike. */
function nodesOfEach(nodes: Exclude<Nodes, null>): Nodes | undefined {
  for (const name in nodes) return name === EACH ? nodes[EACH] : undefined;
  return null;
}

/** Converts the values of an input or output, and leaves out those that are `undefined`. */
function converted(value: unknown, nodes: Nodes, convert: Convert): unknown {
  if (value === undefined) return undefined;
  if (nodes === null) return convert(value as never);
  const each = nodesOfEach(nodes);
  if (Array.isArray(value) && each !== undefined)
    return value.map((member: unknown) => converted(member, each, convert));
  const members = value as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = each === undefined ? { ...members } : {};
  for (const name of Object.keys(each === undefined ? nodes : members)) {
    const made = converted(members[name], each === undefined ? (nodes[name] ?? null) : each, convert);
    if (made !== undefined) result[name] = made;
  }
  return result;
}

/** A command of the document client. Its nodes are not a public part of the SDK. */
interface DocumentCommand {
  readonly input: object;
  readonly inputKeyNodes: Nodes;
  readonly outputKeyNodes: Nodes;
  readonly clientCommand: { input: object };
}

/** A command whose items are in DynamoDB's own format. */
interface PlainCommand {
  readonly input: object;
}

/**
 * Makes a document client that converts items before and after a call. The SDK's own adds two
 * middlewares to each command for that, and so it must resolve all middleware with each call.
 * Here the client does that once for each kind of command. Middleware that is added after the first
 * command of a kind has no effect on it
 * (docs/decisions/0013#resolve-middleware-once).
 */
export function documentClient(
  client: DynamoDBClient,
  { marshallOptions, unmarshallOptions }: TranslateConfig,
): DynamoDBDocumentClient {
  const documents = DynamoDBDocumentClient.from(client);
  // The SDK's constructor refuses this option.
  client.config.cacheMiddleware = true;
  const into = { ...marshallOptions, convertTopLevelContainer: true };
  const from = { ...unmarshallOptions, convertWithoutMapWrapper: true };
  const marshall: Convert = (value) => convertToAttr(value, into);
  const unmarshall: Convert = (value) => convertToNative(value, from);

  async function send(command: DocumentCommand | PlainCommand, options?: object): Promise<unknown> {
    if (!('clientCommand' in command)) return client.send(command as never, options as never);
    const { clientCommand, inputKeyNodes, outputKeyNodes } = command;
    clientCommand.input = converted(command.input, inputKeyNodes, marshall) as object;
    const output: unknown = await client.send(clientCommand as never, options as never);
    return converted(output, outputKeyNodes, unmarshall);
  }
  documents.send = send;
  return documents;
}
