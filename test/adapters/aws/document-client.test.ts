import { globSync, readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { createClient, USUAL } from '../../../src/adapters/aws/client-settings.ts';
import { DOCUMENT_OPTIONS } from '../../../src/adapters/aws/clients.ts';
import { documentClient } from '../../../src/adapters/aws/document-client.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

interface Sent {
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

type Respond = (sent: Sent) => object | Promise<object>;

/** The SDK warns about any use of its bytes as a text, which Buffer.from tries first. */
const inputOf = ({ body }: Sent): unknown => JSON.parse(Buffer.concat([body as Uint8Array]).toString('utf8'));

const ok = (body: object, headers: object = {}) => ({
  response: {
    statusCode: 200,
    headers: { 'content-type': 'application/x-amz-json-1.0', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  },
});

/** Connections to a service that responds by a function, with real signatures. */
const connections = (respond: Respond) => ({
  clock: () => 0,
  reach: () => ({
    region: 'eu-west-1',
    endpoint: 'http://in-process',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    requestHandler: { handle: async (request: Sent) => respond(request) } as never,
  }),
});

const ours = (respond: Respond) =>
  documentClient(createClient(DynamoDBClient, connections(respond), USUAL), DOCUMENT_OPTIONS);

const ofTheSdk = (respond: Respond) =>
  DynamoDBDocumentClient.from(new DynamoDBClient(connections(respond).reach()), DOCUMENT_OPTIONS);

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.uint8Array({ maxLength: 8 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 4 }), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
const items = fc.dictionary(fc.constantFrom('pk', 'sk', 'body', '*', 'M', ':v'), values, {
  minKeys: 1,
  noNullPrototype: true,
});

const nameOf = (error: unknown) => (error as Error).name;

type Command = PutCommand;
/** Makes each command that the stores send, and Get, from a random item. */
const COMMANDS: Readonly<Record<string, (item: Record<string, unknown>) => object>> = {
  BatchGet: (item) =>
    new BatchGetCommand({
      RequestItems: { T: { Keys: [item, item], ConsistentRead: true }, U: { Keys: [item] } },
    }),
  Delete: (item) =>
    new DeleteCommand({
      TableName: 'T',
      Key: item,
      ExpressionAttributeValues: item,
      ReturnValues: 'ALL_OLD',
    }),
  Get: (item) => new GetCommand({ TableName: 'T', Key: item }),
  Put: (item) => new PutCommand({ TableName: 'T', Item: item, ExpressionAttributeNames: { '#a': 'b' } }),
  Query: (item) =>
    new QueryCommand({ TableName: 'T', ExpressionAttributeValues: item, ExclusiveStartKey: item, Limit: 3 }),
  TransactWrite: (item) =>
    new TransactWriteCommand({
      TransactItems: [
        { Put: { TableName: 'T', Item: item } },
        {
          Update: {
            TableName: 'T',
            Key: item,
            UpdateExpression: 'SET a = :v',
            ExpressionAttributeValues: item,
          },
        },
        { Delete: { TableName: 'T', Key: item } },
        { ConditionCheck: { TableName: 'T', Key: item, ConditionExpression: 'x' } },
      ],
      ClientRequestToken: 'token',
    }),
  Update: (item) =>
    new UpdateCommand({
      TableName: 'T',
      Key: item,
      UpdateExpression: 'SET a = :v',
      ExpressionAttributeValues: item,
    }),
};

const RESPONSE = {
  Item: { pk: { S: 'a' }, n: { N: '1' }, b: { B: 'AAE=' }, l: { L: [{ BOOL: true }, { NULL: true }] } },
  Attributes: { m: { M: { x: { N: '9007199254740993' } } } },
  Items: [{ pk: { S: 'a' } }, {}],
  LastEvaluatedKey: { pk: { S: 'z' } },
  Responses: { T: [{ pk: { S: 'a' } }], U: [] },
  UnprocessedKeys: { T: { Keys: [{ pk: { S: 'b' } }] } },
  Count: 2,
};

it('all commands of the document client that the service imports are compared', () => {
  const sources = globSync('{src,functions}/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const imported = sources.flatMap((text) =>
    [...text.matchAll(/import ([^;]*) from '@aws-sdk\/lib-dynamodb'/g)].flatMap(([, names = '']) =>
      [...names.matchAll(/\b(\w+)Command\b/g)].map(([, name = '']) => name),
    ),
  );
  expect(imported.length).toBeGreaterThan(0);
  expect([...new Set(imported)].filter((name) => !Object.hasOwn(COMMANDS, name))).toEqual([]);
});

it.each(Object.keys(COMMANDS))(
  '%s is what the document client of the SDK sends and returns',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(items, async (item) => {
        const results = [];
        for (const clientOf of [ours, ofTheSdk]) {
          const bodies: unknown[] = [];
          const client = clientOf((sent) => {
            bodies.push(inputOf(sent));
            return ok(RESPONSE);
          });
          // A second command of the class meets what the first one has left.
          const send = () => client.send(COMMANDS[name]?.(item) as Command).catch(nameOf);
          const outputs = [await send(), await send()];
          results.push({
            bodies,
            outputs: JSON.stringify(outputs, (key, value: unknown) => (key === '$metadata' ? 0 : value)),
          });
        }
        expect(results[0]).toEqual(results[1]);
      }),
      { numRuns: cases(15) },
    );
  },
);

const get = (pk: string) => new GetCommand({ TableName: 'T', Key: { pk } });
const keyIn = (sent: Sent) => (inputOf(sent) as { Key: { pk: { S: string } } }).Key.pk.S;

describe('commands of one class at once', () => {
  it('have their own items, responses and failures, also when they are repeated', async () => {
    const attempts = new Map<string, number>();
    const client = ours(async (sent) => {
      const key = keyIn(sent);
      const nth = (attempts.get(key) ?? 0) + 1;
      attempts.set(key, nth);
      // Responses arrive in another order than the requests.
      for (let turns = Number(key) % 7; turns > 0; turns -= 1) await Promise.resolve();
      if (Number(key) % 5 === 0 && nth === 1)
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', name: 'TimeoutError' });
      if (Number(key) % 11 === 0)
        return {
          response: { ...ok({ __type: 'com.amazonaws#ValidationException' }).response, statusCode: 400 },
        };
      return ok({ Item: { pk: { S: key } } });
    });
    const keys = Array.from({ length: 50 }, (_, index) => String(index + 1));
    const outcomes = await Promise.all(
      keys.map((key) => client.send(get(key)).then(({ Item: item }) => item?.['pk'] as string, nameOf)),
    );
    expect(outcomes).toEqual(keys.map((key) => (Number(key) % 11 === 0 ? 'ValidationException' : key)));
    expect(keys.filter((key) => attempts.get(key) === 2)).toEqual(
      keys.filter((key) => Number(key) % 5 === 0),
    );
  });

  it('are signed by the time of the service, once it has said that the clock is off', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 1));
    try {
      const dates: (string | undefined)[] = [];
      const client = ours(({ headers }) => {
        dates.push(headers['x-amz-date']);
        return ok({}, { date: new Date(Date.UTC(2026, 0, 1, 2)).toUTCString() });
      });
      await Promise.all([client.send(get('a')), client.send(get('b'))]);
      await Promise.all([client.send(get('c')), client.send(get('d'))]);
      const before = '20260101T000000Z';
      const after = '20260101T020000Z';
      expect(dates).toEqual([before, before, after, after]);
    } finally {
      clock.mockRestore();
    }
  });

  it('pass through middleware that was added before the first of them', async () => {
    const client = ours(() => ok({}));
    const seen: unknown[] = [];
    client.middlewareStack.add((next) => async (args) => {
      seen.push(args.input);
      return next(args);
    });
    await Promise.all([client.send(get('a')), client.send(get('b'))]);
    expect(seen).toMatchObject([{ Key: { pk: { S: 'a' } } }, { Key: { pk: { S: 'b' } } }]);
  });
});
