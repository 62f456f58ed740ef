import { ApiError } from '../../../sdk/src/api-error.ts';
import { ConnectionError } from '../../../sdk/src/connection-error.ts';
import { exchanged } from '../../../sdk/src/exchange.ts';
import { browserTransport } from '../../../sdk/src/fetch-transport.ts';
import { pathOf } from '../../../sdk/src/paths.ts';
import { retrying } from '../../../sdk/src/retry.ts';
import type { Failure, Submission, FieldPart } from '../protocol.ts';
import type { FieldsConfig } from '../../headers.ts';
import { tenantOfPageKey } from './api-key.ts';
import { acceptsTenant } from './config.ts';
import { bodyOf, placeholdersIn } from './placement.ts';
import { readResponse } from './read-response.ts';
import { failureOf, Refusal } from './refusal.ts';
import { shownToken, shownTree } from './shown-result.ts';
import type { FieldContent } from './field-content.ts';

/** A longer wait is a failure to a person, who presses again. */
const TIMEOUT_MS = 20_000;
const MAX_RETRIES = 3;

/** A frame needs these to carry out requests. */
export interface Surroundings {
  readonly config: FieldsConfig;
  /** The page that embeds the frame has this origin. */
  readonly page: string;
  /** Returns the content of a field of this frame, or of another one of the page. */
  readonly contentOf: (fieldId: string) => Promise<FieldContent | undefined>;
  readonly newKey: () => string;
}

/** A request that runs, or whose outcome is not known: the same again is no new one. */
interface Attempt {
  readonly idempotencyKey: string;
  /** The service knows an idempotency key together with the key that sent it. */
  readonly apiKey: string;
  controller: AbortController;
  running: Promise<unknown> | undefined;
  /** The calls that wait for it. */
  waiting: number;
}

/** More requests than a page has at once. The oldest is forgotten first. */
const MOST_ATTEMPTS = 20;

const NO_RESPONSE = 'No response. Try the same request again.';
const ABORTED: Failure = { code: 'aborted', message: 'The request was aborted. Its outcome is not known.' };

function requireKey(key: string, { config, page }: Surroundings): void {
  const tenantId = tenantOfPageKey(key);
  if (tenantId === undefined)
    throw new Refusal('wrong_key', 'Fields need the key of a public application, or of a session.');
  if (!acceptsTenant(config, page, tenantId))
    throw new Refusal('wrong_key', 'The setting fieldsOrigins binds this page to another tenant.');
}

/** The contents of all fields of a request. Throws `Refusal` with the fields that are not ready. */
async function collected(
  body: unknown,
  { contentOf }: Surroundings,
): Promise<ReadonlyMap<string, FieldContent>> {
  const ids = [...new Set(placeholdersIn(body).map(({ fieldId }) => fieldId))];
  const contents = await Promise.all(ids.map(async (id) => [id, await contentOf(id)] as const));
  const missing = contents.filter(([, content]) => content === undefined).map(([id]) => id);
  if (missing.length > 0)
    throw new Refusal('unmounted', 'A field of the request is not on the page.', missing);
  const open = contents.filter(([, content]) => content?.isReady === false).map(([id]) => id);
  if (open.length > 0) throw new Refusal('incomplete', 'A field is not complete or not valid.', open);
  return new Map(
    contents.flatMap(([id, content]) => (content === undefined ? [] : [[id, content] as const])),
  );
}

const partOf = (content: FieldContent | undefined, part: FieldPart | undefined) =>
  content?.values?.[part ?? 'whole'];

function failureOfCall(error: unknown): Failure {
  if (error instanceof Refusal) return failureOf(error);
  if (error instanceof ApiError) {
    const { status, code, traceId } = error;
    const isBusy = status === 429 || status >= 500;
    return {
      code: isBusy ? 'unavailable' : 'refused',
      message: isBusy ? NO_RESPONSE : 'The service refused the request.',
      status,
      ...(code !== undefined && { serviceCode: code }),
      ...(traceId !== undefined && { traceId }),
    };
  }
  if (error instanceof ConnectionError) return { code: 'unavailable', message: NO_RESPONSE };
  if (error instanceof Error && error.name === 'AbortError') return ABORTED;
  // Never the error's own text: it may quote what was typed.
  return { code: 'refused', message: 'The request could not be sent.' };
}

/** The wire form of a request, by operation. The response has no data but for `tokenize`. */
const WIRE = {
  create: { method: 'POST', path: '/tokens', type: 'application/json' },
  tokenize: { method: 'POST', path: '/tokenize', type: 'application/json' },
  update: { method: 'PATCH', path: '/tokens/{id}', type: 'application/merge-patch+json' },
} as const;

/**
 * Sends a complete body, as the SDK does, without its other operations. A browser sends no cookie
 * and no address of the page with it.
 */
function send(
  { apiUrl, headerPrefix }: FieldsConfig,
  { operation, tokenId }: Submission,
  body: object,
  { apiKey, idempotencyKey, controller }: Attempt,
) {
  const { method, path, type } = WIRE[operation];
  const traceHeader = `${headerPrefix}-TRACE-ID`.toLowerCase();
  return exchanged({
    transport: browserTransport,
    request: {
      method,
      url: apiUrl + pathOf(path, tokenId === undefined ? [] : [tokenId]),
      headers: {
        [`${headerPrefix}-API-KEY`]: apiKey,
        [`${headerPrefix}-IDEMPOTENCY-KEY`]: idempotencyKey,
        ...(operation !== 'tokenize' && { [`${headerPrefix}-TRANSFORM`]: 'redact' }),
        Accept: 'application/json',
        'Content-Type': type,
      },
      body: JSON.stringify(body),
    },
    signal: controller.signal,
    timeoutMs: TIMEOUT_MS,
    read: (response) => readResponse(traceHeader, response),
    pauseAfter: retrying(MAX_RETRIES, true),
    observe: () => undefined,
    route: operation,
    traceIdOf: () => undefined,
  });
}

/** Whether the same request again must be no new one. */
const isUnknown = ({ code, status }: Failure): boolean =>
  code === 'unavailable' || code === 'aborted' || status === CONFLICT;

const CONFLICT = 409;

/** Returns to the page a token, or the shape of its request with tokens and ids in it. */
const shownOf = ({ operation, body }: Submission, response: unknown): unknown =>
  operation === 'tokenize' ? shownTree(body, response) : shownToken(response);

export type Outcome = { readonly result: unknown } | { readonly failure: Failure };

export interface Submissions {
  submit(submission: Submission, signal: AbortSignal): Promise<Outcome>;
}

/** Resolves with the promise, unless the signal is aborted before. */
function untilAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new DOMException(ABORTED.message, 'AbortError'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export function createSubmissions(around: Surroundings): Submissions {
  const { config, newKey } = around;
  const attempts = new Map<string, Attempt>();
  const salt = newKey();

  async function bodyToSend({ operation, body, key }: Submission): Promise<object> {
    requireKey(key, around);
    const contents = await collected(body, around);
    return bodyOf(operation, body, {
      kindOf: (id) => contents.get(id)?.kind ?? 'text',
      fill: ({ fieldId, part }) => partOf(contents.get(fieldId), part),
    }) as object;
  }

  /**
   * The name of a request, without its values in it. A text of the page in place of a field is
   * another request, also if both are equal: a page could ask so what is in the field.
   */
  async function nameOf({ operation, tokenId, body: asked }: Submission, body: object): Promise<string> {
    const text = JSON.stringify([salt, operation, tokenId, asked, body]);
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return new Uint8Array(digest).join();
  }

  function attemptFor(name: string, apiKey: string): Attempt {
    const known = attempts.get(name);
    if (known !== undefined) return known;
    const controller = new AbortController();
    const attempt = { idempotencyKey: newKey(), apiKey, controller, running: undefined, waiting: 0 };
    attempts.set(name, attempt);
    const [oldest] = attempts.keys();
    if (attempts.size > MOST_ATTEMPTS && oldest !== undefined) attempts.delete(oldest);
    return attempt;
  }

  /** A forgotten attempt may have a successor of the same name. */
  const forget = (name: string, attempt: Attempt) => attempts.get(name) === attempt && attempts.delete(name);

  async function run(name: string, attempt: Attempt, submission: Submission, body: object): Promise<unknown> {
    const { controller } = attempt;
    try {
      const response = await send(config, submission, body, attempt);
      forget(name, attempt);
      return response;
    } catch (error) {
      if (attempt.controller === controller) stop(attempt);
      if (!isUnknown(failureOfCall(error))) forget(name, attempt);
      throw error;
    }
  }

  /** Ends the run of an attempt. The next call of the same request starts another one. */
  function stop(attempt: Attempt): void {
    attempt.running = undefined;
    attempt.controller.abort();
    attempt.controller = new AbortController();
  }

  /** The response to a request, which runs once however often it is asked for meanwhile. */
  async function responseTo(submission: Submission, body: object, signal: AbortSignal): Promise<unknown> {
    const name = await nameOf(submission, body);
    const attempt = attemptFor(name, submission.key);
    attempt.running ??= run(name, attempt, submission, body);
    attempt.waiting += 1;
    try {
      return await untilAborted(attempt.running, signal);
    } finally {
      attempt.waiting -= 1;
      if (attempt.waiting === 0 && signal.aborted) stop(attempt);
    }
  }

  return {
    async submit(submission, signal) {
      try {
        const body = await bodyToSend(submission);
        if (signal.aborted) return { failure: ABORTED };
        return { result: shownOf(submission, await responseTo(submission, body, signal)) };
      } catch (error) {
        return { failure: failureOfCall(error) };
      }
    },
  };
}
