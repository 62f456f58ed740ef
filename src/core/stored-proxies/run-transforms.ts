import type { Caller } from '../access/caller.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import { hasExpression } from '../expressions/template.ts';
import { PROXY_LIMITS } from '../proxy-expressions/forward.ts';
import { asFieldValue, headerText } from '../proxy-expressions/request-headers.ts';
import type { RunReactorDeps } from '../reactors/run-reactor.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { fillJson } from '../tokens/detokenize.ts';
import type { ResolveReferences } from '../tokens/resolve-tokens.ts';
import { headerPieces } from './header-value.ts';
import { withJsonAt } from './json-body.ts';
import { isSuccess, maskMessage } from './mask-body.ts';
import { withDeferredHeader, withHeader, withOnlyHeaders, withoutHeader, type Message } from './message.ts';
import { runOnMessage, type ReactorCall } from './reactor-step.ts';
import type { AppendHeader, AppendJson, STATUSES, Transform } from './stored-proxy.ts';
import { tokenizeValues } from './tokenize-values.ts';
import { guarded, TransformError, type VisibleResponse } from './transform-failure.ts';

export interface Side extends ReactorCall {
  /** The caller whose rights the transforms use. */
  readonly acting: Caller;
  /** Opens the tokens of stored expressions, which are used through this proxy. */
  readonly resolve: ResolveReferences;
  /** Present once the destination has responded. */
  readonly response?: VisibleResponse;
  readonly writes: WriteIdentity;
}

interface Traits {
  /** Whether it reads the body, which counts against the limit of a call. */
  readonly readsBody: boolean;
  /** The statuses of responses that it runs for by default: a decline has another body. */
  readonly statuses: (typeof STATUSES)[number];
  /** Whether it has nothing to do where a response has no body. */
  readonly needsBody: boolean;
}

const OF_HEADERS: Traits = { readsBody: false, statuses: 'any', needsBody: false };

const TRAITS: Readonly<Record<Transform['type'], Traits>> = {
  append_header: OF_HEADERS,
  remove_header: OF_HEADERS,
  allow_headers: OF_HEADERS,
  append_json: { readsBody: true, statuses: '2xx', needsBody: true },
  tokenize: { readsBody: true, statuses: '2xx', needsBody: true },
  mask: { readsBody: true, statuses: 'any', needsBody: false },
  reactor: { readsBody: true, statuses: 'any', needsBody: false },
  verify_signature: OF_HEADERS,
};

/** The first number of the parts of a call that its response makes. */
const RESPONSE_PARTS = 1_000;

/** Sets a header on the way out. What the configuration has is left for later. */
async function appendFilledHeader(
  deps: RunReactorDeps,
  { name, value }: AppendHeader,
  message: Message,
  side: Side,
): Promise<Message> {
  const pieces = headerPieces(value);
  const fields = new TemplateFields(deps.random.integer, side.budget.expressions);
  const rendered = pieces.map((piece) =>
    'text' in piece ? headerText(piece.text, 'value', pieces.length > 1, fields) : piece,
  );
  fields.throwIfFailed();
  const references = rendered.flatMap((piece) => ('references' in piece ? piece.references : []));
  const { valueOf } = await side.resolve(references);
  const filling = { valueOf, budget: fields.budget };
  const filled = rendered.map((piece) => ('references' in piece ? piece.render(filling) : piece));
  fields.throwIfFailed();
  if (filled.some((piece) => typeof piece === 'string' && /\p{Cc}/u.test(piece)))
    throw new TransformError('its value becomes one with control characters');
  const texts = filled.filter((piece) => typeof piece === 'string');
  if (texts.length < filled.length) return withDeferredHeader(message, { name, pieces: filled });
  return withHeader(message, name, asFieldValue(texts.join('')));
}

async function appendJson(
  deps: RunReactorDeps,
  { location, value }: AppendJson,
  message: Message,
  side: Side,
): Promise<Message> {
  if (side.response !== undefined) return withJsonAt(message, location, value, side.budget);
  const fields = new TemplateFields(deps.random.integer, side.budget.expressions);
  const { value: filled } = await fillJson(value, 'value', fields, side.resolve);
  return withJsonAt(message, location, filled.reveal(), side.budget);
}

async function runTransform(
  deps: RunReactorDeps,
  transform: Transform,
  message: Message,
  side: Side,
): Promise<Message> {
  switch (transform.type) {
    case 'append_header':
      return side.response !== undefined || !hasExpression(transform.value)
        ? withHeader(message, transform.name, asFieldValue(transform.value))
        : appendFilledHeader(deps, transform, message, side);
    case 'append_json':
      return appendJson(deps, transform, message, side);
    case 'remove_header':
      return withoutHeader(message, transform.name);
    case 'allow_headers':
      return withOnlyHeaders(message, transform.names);
    case 'tokenize':
      return tokenizeValues(deps, transform, message, side);
    case 'mask':
      return maskMessage(transform, message, side.budget);
    case 'reactor':
      return runOnMessage(deps, transform, message, side);
    case 'verify_signature':
      // It was checked over the request as received, before all others.
      return message;
  }
}

const statusesOf = (transform: Transform) =>
  ('statuses' in transform ? transform.statuses : undefined) ?? TRAITS[transform.type].statuses;

/**
 * Whether a transform runs on a response. Throws `transform_failed` if it does not and hides,
 * unless its writer lets such a response pass.
 */
function runsFor(
  transform: Transform,
  number: number,
  { status = 0, body }: Message,
  response: VisibleResponse,
) {
  if (TRAITS[transform.type].needsBody && body.length === 0) return false;
  if (statusesOf(transform) === 'any' || isSuccess(status)) return true;
  if (transform.type !== 'tokenize' || transform.otherwise === 'pass') return false;
  throw new ServiceError(
    'transform_failed',
    `response_transforms[${String(number)}] does not run for this status.`,
    { headers: response.headers, destinationStatus: response.status },
  );
}

/**
 * Runs transforms on a message in their order. Throws `transform_failed`: before the destination
 * with 400, and after it with the status of its response, or 424 for a success.
 */
export async function runTransforms(
  deps: RunReactorDeps,
  transforms: readonly Transform[],
  message: Message,
  side: Side,
): Promise<Message> {
  const checkTime = (): void => {
    if (deps.clock() > side.deadline) throw new TransformError('the time of the call is over');
  };
  const { response } = side;
  let changed = message;
  for (const [number, transform] of transforms.entries()) {
    const before = changed;
    if (response !== undefined && !runsFor(transform, number, before, response)) continue;
    const own = { ...side, writes: side.writes.part(number + (response === undefined ? 0 : RESPONSE_PARTS)) };
    const place = { number, type: transform.type, response, isAsSent: before.body === message.body };
    changed = await guarded(place, async () => {
      checkTime();
      if (TRAITS[transform.type].readsBody) side.budget.read(before.body.length);
      const after = await runTransform(deps, transform, before, own);
      checkTime();
      if (after.body.length > PROXY_LIMITS.bodyMaxBytes)
        throw new TransformError(`the body would have more than ${String(PROXY_LIMITS.bodyMaxBytes)} bytes`);
      return after;
    });
  }
  return changed;
}
