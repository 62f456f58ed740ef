import type { Item } from '../../../src/dynamodb/item.ts';
import type { Step } from './corpus/step.ts';

/** The status code and the text that an implementation returned. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

export type Implementation = (call: string, body: string) => Promise<RawAnswer>;

/** A response in the form that is compared. */
export interface Response {
  readonly status: number;
  /** The short name of an exception. */
  readonly type?: string;
  /** The wording of an exception, and of each reason of a cancelled transaction. */
  readonly messages?: readonly string[];
  readonly capacity?: unknown;
  /** Contains everything else, or a list if there are several pages. */
  readonly body?: unknown;
}

type Members = Readonly<Record<string, unknown>>;

const LONGEST_TEXT = 300;
/** No corpus has so many pages: an implementation that never ends is stopped. */
const MOST_PAGES = 50;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byJson(a: unknown, b: unknown): number {
  const left = JSON.stringify(a);
  const right = JSON.stringify(b);
  return left < right ? -1 : Number(left > right);
}

/** Members by name, sets by their elements, long texts by their beginning and length. */
function canonical(value: unknown, name = ''): unknown {
  if (typeof value === 'string' && value.length > LONGEST_TEXT)
    return `${value.slice(0, 20)}... (${String(value.length)} characters)`;
  if (Array.isArray(value)) {
    const elements = value.map((element: unknown) => canonical(element));
    return ['SS', 'NS', 'BS'].includes(name) ? elements.toSorted(byJson) : elements;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, canonical(member, key)]));
}

/** Items without an order, sorted; the key of the last of them is then meaningless. */
function sorted({ Items, Responses, LastEvaluatedKey, ...rest }: Members): Members {
  return {
    ...rest,
    ...(Array.isArray(Items) && { Items: Items.toSorted(byJson) }),
    ...(isObject(Responses) && {
      Responses: Object.fromEntries(
        Object.entries(Responses).map(([table, items]) => [table, (items as Item[]).toSorted(byJson)]),
      ),
    }),
    ...(LastEvaluatedKey !== undefined && { LastEvaluatedKey: 'some' }),
  };
}

/** For equal keys each page has other items: all items, and how many each page read. */
function inAnyOrder(pages: readonly Members[]): unknown {
  if (pages.length === 1) return sorted(pages[0] ?? {});
  return {
    ScannedCounts: pages.map(({ ScannedCount }) => ScannedCount),
    Items: pages.flatMap(({ Items }) => Items as Item[]).toSorted(byJson),
  };
}

function byTable(capacity: unknown): unknown {
  return Array.isArray(capacity) ? capacity.toSorted(byJson) : capacity;
}

interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

interface Failure {
  readonly __type?: string;
  readonly message?: string;
  readonly Message?: string;
  readonly CancellationReasons?: readonly Reason[];
}

function failureOf(status: number, failure: Failure): Response {
  const { __type = '', message, Message, CancellationReasons: reasons, ...rest } = failure;
  const body = {
    ...rest,
    ...(reasons !== undefined && { CancellationReasons: reasons.map(({ Message: _, ...code }) => code) }),
  };
  return {
    status,
    type: __type.slice(__type.indexOf('#') + 1),
    messages: [message ?? Message ?? '', ...(reasons ?? []).map((reason) => reason.Message ?? '')],
    ...(Object.keys(body).length > 0 && { body }),
  };
}

interface StatementResponse {
  readonly Error?: { readonly Message?: string };
}

/** Separates the wording of each failed statement of a BatchExecuteStatement from the response. */
function apartFromMessages(body: Members): { readonly body: Members; readonly messages: readonly string[] } {
  const { Responses: responses } = body;
  if (!Array.isArray(responses)) return { body, messages: [] };
  const statements = responses as readonly StatementResponse[];
  const Responses = statements.map(({ Error: error, ...rest }) => {
    if (error === undefined) return rest;
    const { Message: _, ...code } = error;
    return { ...rest, Error: code };
  });
  return {
    body: { ...body, Responses },
    messages: statements.flatMap(({ Error: error }) => error?.Message ?? []),
  };
}

function responseOf({ anyOrder, allPages }: Step, pages: readonly Members[]): Response {
  const parts = pages.map(({ ConsumedCapacity, ...rest }) => ({
    capacity: byTable(ConsumedCapacity),
    ...apartFromMessages(rest),
  }));
  const messages = parts.flatMap((part) => part.messages);
  const bodies = parts.map(({ body }) => canonical(body) as Members);
  const capacities = parts.flatMap(({ capacity }) => (capacity === undefined ? [] : [capacity]));
  const body = allPages === true ? bodies : bodies[0];
  return {
    status: 200,
    ...(messages.length > 0 && { messages }),
    ...(capacities.length > 0 && { capacity: allPages === true ? capacities : capacities[0] }),
    body: anyOrder === true ? inAnyOrder(bodies) : body,
  };
}

/** Sends one request, and those that follow it to the last page. */
async function answerTo(implementation: Implementation, step: Step): Promise<Response> {
  const { call, input, allPages } = step;
  const pages: Members[] = [];
  let body = typeof input === 'string' ? input : JSON.stringify(input);
  for (;;) {
    const raw = await implementation(call, body);
    const parsed = JSON.parse(raw.body) as Members;
    if (raw.status !== 200) return failureOf(raw.status, canonical(parsed) as Failure);
    pages.push(parsed);
    const start = parsed['LastEvaluatedKey'];
    if (allPages !== true || start === undefined) return responseOf(step, pages);
    if (pages.length > MOST_PAGES) throw new Error(`${step.name}: the pages never end`);
    body = JSON.stringify({ ...(input as Members), ExclusiveStartKey: start });
  }
}

/** The responses to all steps by their names, in the form in which JSON stores them. */
export async function responsesOf(
  implementation: Implementation,
  steps: readonly Step[],
): Promise<ReadonlyMap<string, Response>> {
  const responses = new Map<string, Response>();
  for (const step of steps) {
    if (responses.has(step.name)) throw new Error(`two steps are called "${step.name}"`);
    const response = await answerTo(implementation, step);
    responses.set(step.name, JSON.parse(JSON.stringify(canonical(response))) as Response);
  }
  return responses;
}
