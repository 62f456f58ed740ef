import { BatchExecuteStatementCommand } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

type Input = Readonly<Record<string, unknown>>;

const COMMANDS = {
  put: PutCommand,
  delete: DeleteCommand,
  update: UpdateCommand,
  transact: TransactWriteCommand,
  get: BatchGetCommand,
  query: QueryCommand,
  insert: BatchExecuteStatementCommand,
} as const;

/** Describes a call of the document client: one command, or all pages of a query. */
export type Call =
  | { readonly call: keyof typeof COMMANDS | 'walk'; readonly input: Input }
  /** Deletes what has expired by this time, in seconds since the epoch. */
  | { readonly call: 'expire'; readonly seconds: number };

/** DynamoDB, or the engine in memory. */
export interface Engine {
  readonly send: (command: never) => Promise<unknown>;
  /** `now` is in ms since the epoch. */
  readonly expire: (now: number) => unknown;
}

const BRIEF = 80;
/** An engine that is wrong may return the same page again and again. */
const PAGES_MAX = 50;

/** Long text in a call, written in short, so that a call can be read. */
export const longText = (length: number): string => `${String(length)} times x`;
const LONG_TEXT = /^(\d+) times x$/;

/** Copies an input for one engine, and writes its long texts out. */
function copied(value: unknown): unknown {
  if (typeof value === 'string') {
    const [, length] = LONG_TEXT.exec(value) ?? [];
    return length === undefined ? value : 'x'.repeat(Number(length));
  }
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== 'object' || value === null || value instanceof Set || value instanceof Date)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member)]));
}

/** Overwrites what a caller sent or received, which must not change what is stored. */
function spoil(value: unknown): void {
  if (value instanceof Uint8Array) value.fill(0xee);
  else if (Array.isArray(value)) {
    value.forEach(spoil);
    value.push('spoilt');
  } else if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(spoil);
    Object.assign(value, { spoilt: true });
  }
}

/** A text for long content, so that a difference can be read. */
function brief(text: string): string {
  return text.length <= BRIEF ? text : `${text.slice(0, BRIEF)}... of ${String(text.length)}`;
}

/** A value whose JSON shows its type, with members in one order. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return brief(value);
  if (value instanceof Uint8Array) return { bytes: brief(Buffer.from(value).toString('hex')) };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== undefined && name !== '$metadata')
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, plain(member)]),
  );
}

interface Refused {
  readonly Code?: string;
  readonly Item?: Parameters<typeof unmarshall>[0];
}

const refusal = ({ Code, Item }: Refused) => ({ Code, Item: Item && unmarshall(Item) });

/** Reduces a failure to its meaning for the caller. Texts of messages are free. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof Error)) return { error };
  const { CancellationReasons: reasons, ...own } = error as Error &
    Refused & { readonly CancellationReasons?: readonly Refused[] };
  return plain({ error: error.name, ...refusal(own), reasons: reasons?.map(refusal) });
}

interface Response {
  readonly Responses?: unknown;
  readonly LastEvaluatedKey?: Input;
}

const placeOf = (item: Input): string => JSON.stringify([item['pk'], item['sk']]);

/** DynamoDB promises no order in a batch, and no text of an error. */
function withoutFreedom(call: Call['call'], response: Response): unknown {
  if (call === 'get')
    return {
      ...response,
      Responses: Object.fromEntries(
        Object.entries(response.Responses as Readonly<Record<string, readonly Input[]>>).map(
          ([name, items]) => [name, items.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))],
        ),
      ),
    };
  if (call === 'insert')
    return {
      Responses: (response.Responses as readonly { readonly Error?: Refused }[]).map((one) =>
        one.Error === undefined ? one : { Error: refusal(one.Error) },
      ),
    };
  return response;
}

async function sent(engine: Engine, command: { readonly input: unknown }): Promise<unknown> {
  try {
    return await engine.send(command as never);
  } finally {
    spoil(command.input);
  }
}

async function pagesOf(engine: Engine, input: Input): Promise<readonly unknown[]> {
  const pages: unknown[] = [];
  for (let start: Input | undefined; ;) {
    const command = new QueryCommand(
      copied({ ...input, ...(start && { ExclusiveStartKey: start }) }) as never,
    );
    const page = (await sent(engine, command)) as Response;
    pages.push(page);
    start = page.LastEvaluatedKey;
    if (start === undefined || pages.length === PAGES_MAX) return pages;
  }
}

async function responseOf(engine: Engine, call: Call): Promise<unknown> {
  if (call.call === 'expire') return void (await engine.expire(call.seconds * 1_000));
  if (call.call === 'walk') return pagesOf(engine, call.input);
  return sent(engine, new COMMANDS[call.call](copied(call.input) as never));
}

async function answerOf(engine: Engine, call: Call): Promise<unknown> {
  try {
    const response = await responseOf(engine, call);
    const answer = plain(withoutFreedom(call.call, response as Response));
    spoil(response);
    return answer;
  } catch (error) {
    return failureOf(error);
  }
}

/** The answers to calls that are made one after the other, in a form that can be compared. */
export async function answersOf(engine: Engine, calls: readonly Call[]): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const call of calls) answers.push(await answerOf(engine, call));
  return answers;
}
