import type { HeaderFields } from '../egress/egress-client.ts';
import { mayAppend, readName } from '../proxy-expressions/request-headers.ts';
import { checkStrictSuffix } from '../proxy-expressions/suffix.ts';
import type { ThrownError } from '../reactors/reactor-runner.ts';
import { existingReactor } from '../reactors/get-reactor.ts';
import { REACTOR_LIMITS } from '../reactors/reactor.ts';
import { reactorFailure, withoutChosenNames, type RunKind } from '../reactors/reactor-failure.ts';
import { executeRun, returnedParts, type RunInput, type RunReactorDeps } from '../reactors/run-reactor.ts';
import { ServiceError } from '../shared/service-error.ts';
import { isEqualJson, isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { admitsPath } from './admitted-path.ts';
import { valueOfBody } from './json-body.ts';
import { headersOf, textOfBody, type Message } from './message.ts';
import {
  PROXY_METHODS,
  STORED_PROXY_LIMITS,
  type Proxy,
  type ProxyDefinition,
  type RunReactor,
} from './stored-proxy.ts';
import type { TransformBudget } from './transform-budget.ts';
import { TransformError } from './transform-failure.ts';

export interface ReactorCall {
  readonly proxy: Proxy;
  readonly isReserved: (name: string) => boolean;
  /** How the code reaches the service. */
  readonly service: RunInput['service'];
  /** The call ends at this time, in ms since the epoch. */
  readonly deadline: number;
  readonly budget: TransformBudget;
}

/** The headers by their names in lower case. A name with several fields has a list. */
function headersObject(headers: HeaderFields): JsonObject {
  const all = new Map<string, string | readonly string[]>();
  for (const [name, value] of headers) {
    const before = all.get(name.toLowerCase());
    all.set(name.toLowerCase(), before === undefined ? value : [...[before].flat(), value]);
  }
  return Object.fromEntries(all) as JsonObject;
}

/** The member that has the body, as the code gets it and returns it. */
type BodyMember = 'body' | 'text' | 'base64';

/** A body as the code gets it. */
interface CodeBody {
  readonly member: BodyMember;
  readonly value: Json;
  /** Whether text that the code returns is written as JSON. */
  readonly isJson: boolean;
}

/** Throws {@link TransformError} for a body that JSON lacks exactly, unless `as` is text. */
function codeBody(message: Message, as: RunReactor['as'], budget: TransformBudget): CodeBody {
  if (as === 'text') {
    const text = textOfBody(message);
    return text === undefined
      ? { member: 'base64', value: message.body.toString('base64'), isJson: false }
      : { member: 'text', value: text, isJson: false };
  }
  const found = valueOfBody(message, budget);
  if (found === undefined) throw new TransformError('the body is neither JSON nor text in UTF-8');
  return { member: 'body', ...found };
}

/** Returns the `args` that the code gets. */
function argsOf(message: Message, { member, value }: CodeBody): JsonObject {
  const { method, path, status } = message;
  const headers = headersObject(headersOf(message));
  return { method, path, ...(status !== undefined && { status }), headers, [member]: value };
}

const wrong = (member: string): TransformError =>
  new TransformError(`the code returned a wrong \`raw.${member}\``);

/** Whether text can be the value of a field: its characters are bytes (RFC 9110, section 5.5). */
const isFieldValue = (text: Json): text is string =>
  typeof text === 'string' &&
  text.length <= STORED_PROXY_LIMITS.headerValue &&
  !/[^\u0020-\u007e\u00a0-\u00ff]/.test(text);

const asText = (name: string, value: string): string => JSON.stringify([name.toLowerCase(), value]);

/**
 * The fields that the code returned. Those that arrived stay fields that arrived; others are as a
 * caller may send them.
 */
function returnedHeaders(
  value: Json,
  message: Message,
  isReserved: (name: string) => boolean,
): Pick<Message, 'headers' | 'ownHeaders'> {
  if (!isJsonObject(value)) throw wrong('headers');
  const fields = Object.entries(value).flatMap(([name, each]) =>
    [each].flat().map((text) => [name, text] as const),
  );
  if (fields.length > STORED_PROXY_LIMITS.headers) throw wrong('headers');
  const [arrived, own] = [message.headers, message.ownHeaders].map(
    (before) => new Set(before.map(([name, text]) => asText(name, text))),
  );
  const deferred = new Set(message.deferred.map(({ name }) => readName(name)));
  const isKnown = (known: Set<string> | undefined, name: string, text: Json): text is string =>
    typeof text === 'string' && known?.has(asText(name, text)) === true;
  const headers: Field[] = [];
  const ownHeaders: Field[] = [];
  for (const [name, text] of fields.filter(([each]) => !deferred.has(readName(each)))) {
    if (isKnown(arrived, name, text)) headers.push([name, text]);
    else if (isKnown(own, name, text) || (isFieldValue(text) && mayAppend(name, isReserved)))
      ownHeaders.push([name, text]);
    else throw wrong('headers');
  }
  return { headers, ownHeaders };
}

type Field = HeaderFields[number];

const ENCODED_PATH = /^(?:\/(?:[\w\-.~!$&'()*+,;=:@]|%[\da-f]{2})*)*$/i;

function pathOf(value: Json, definition: ProxyDefinition): string {
  if (typeof value !== 'string' || !ENCODED_PATH.test(value)) throw wrong('path');
  checkStrictSuffix(value);
  if (!admitsPath(definition, value)) throw wrong('path');
  return value;
}

function methodOf(value: Json, { methods = PROXY_METHODS }: ProxyDefinition): string {
  const method = methods.find((each) => each === value);
  if (method === undefined) throw wrong('method');
  return method;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The body that the code returned. What was JSON stays JSON, and what is equal stays as it is. */
function bodyOf(value: Json, { body }: Message, before: CodeBody): Buffer {
  if (isEqualJson(value, before.value)) return body;
  if (before.member === 'body')
    return Buffer.from(typeof value === 'string' && !before.isJson ? value : JSON.stringify(value));
  if (typeof value !== 'string') throw wrong(before.member);
  if (before.member === 'text') {
    if (!value.isWellFormed()) throw wrong('text');
    return Buffer.from(value);
  }
  if (!BASE64.test(value)) throw wrong('base64');
  return Buffer.from(value, 'base64');
}

const MEMBERS = ['method', 'path', 'status', 'headers'];

/** The message that the code returned. What it leaves out stays as it was. */
function changedBy(
  raw: Json,
  message: Message,
  before: CodeBody,
  { proxy: { definition }, isReserved }: ReactorCall,
): Message {
  if (!isJsonObject(raw)) throw new TransformError('the code must return the message as `raw`');
  const known = [...MEMBERS, before.member];
  const unknown = Object.keys(raw).find((member) => !known.includes(member));
  if (unknown !== undefined) throw new TransformError('the code returned an unknown member in `raw`');
  const { method, path, status, headers, [before.member]: body } = raw;
  const isResponse = message.status !== undefined;
  if (status !== undefined && status !== message.status) throw wrong('status');
  return {
    ...message,
    ...(method !== undefined && !isResponse && { method: methodOf(method, definition) }),
    ...(path !== undefined && !isResponse && { path: pathOf(path, definition) }),
    ...(headers !== undefined && returnedHeaders(headers, message, isReserved)),
    ...(body !== undefined && { body: bodyOf(body, message, before) }),
  };
}

/**
 * The failure of code that threw an error, without the words and names of the code. It chose them
 * for its invoker, who may see what callers and readers of a proxy may not.
 */
function thrownBy(thrown: ThrownError, kind: RunKind): Error {
  const { status } = thrown;
  if (status === ASKS_TO_REPEAT)
    return new ServiceError('dependency_unavailable', 'The code of a reactor asks to repeat the call.', {
      headers: { 'Retry-After': '5' },
    });
  if (status !== null) return new TransformError(`the code threw an error with the status ${String(status)}`);
  const error = new Secret(withoutChosenNames(thrown));
  return reactorFailure({ outcome: 'threw', error }, kind);
}

/** The status of an error by which code says that it may succeed later. */
const ASKS_TO_REPEAT = 503;

/**
 * Runs the code of a reactor on a message, if it still is the code that the proxy was written
 * with. Headers with values of the configuration are not part of what it sees. Throws
 * {@link TransformError} and errors of the service.
 */
export async function runOnMessage(
  deps: RunReactorDeps,
  { reactorId, codeHash, as }: RunReactor,
  message: Message,
  call: ReactorCall,
): Promise<Message> {
  const { stored } = call.proxy;
  const reactor = await existingReactor(deps, stored.tenantId, reactorId);
  if (reactor.codeHash !== codeHash)
    throw new TransformError('the code of the reactor has changed since the proxy was written');
  const before = codeBody(message, as, call.budget);
  const args = argsOf(message, before);
  if (Buffer.byteLength(JSON.stringify(args)) > REACTOR_LIMITS.invocationBytes)
    throw new TransformError(
      `a reactor gets at most ${String(REACTOR_LIMITS.invocationBytes)} bytes of JSON`,
    );
  const timeoutMs = call.deadline - deps.clock();
  if (timeoutMs <= 0) throw new TransformError('the time of the call is over');
  const input: RunInput = {
    reactorId,
    codeHash,
    args,
    way: { proxy: stored.id },
    service: call.service,
    timeoutMs,
    deadline: call.deadline,
  };
  const kind = { limitMs: timeoutMs, image: reactor.image };
  const outcome = await executeRun(deps, { reactor, args: new Secret<Json>(args), input });
  if (outcome.outcome === 'threw') throw thrownBy(outcome.error.reveal(), kind);
  const { raw, tokenize } = returnedParts(outcome, kind, deps.clientCompatibility);
  if (raw === undefined || tokenize !== undefined)
    throw new TransformError('the code must return the message as `raw`, and nothing else');
  return changedBy(raw, message, before, call);
}
