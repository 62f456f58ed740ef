import type { Caller } from '../access/caller.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import { hasExpression } from '../expressions/template.ts';
import { PROXY_LIMITS } from '../proxy/forward.ts';
import { asFieldValue, headerText } from '../proxy/request-headers.ts';
import type { RunReactorDeps } from '../reactors/run-reactor.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { createTokens } from '../tokens/create-tokens.ts';
import { fillJson } from '../tokens/detokenize.ts';
import { TOKEN_TYPE_NAMES, tokenType } from '../tokens/token-type.ts';
import type { ResolveReferences } from '../tokens/resolve-tokens.ts';
import { headerPieces } from './header-value.ts';
import { jsonAt, placesBelow, withJsonAt } from './json-body.ts';
import { maskMessage } from './mask-body.ts';
import { withDeferredHeader, withHeader, withOnlyHeaders, withoutHeader, type Message } from './message.ts';
import { runOnMessage, type ReactorCall } from './reactor-step.ts';
import type { AppendHeader, AppendJson, TokenizeValue, Transform } from './stored-proxy.ts';
import { guarded, TransformError } from './transform-failure.ts';

/** What the transforms of one side of a call need. */
export interface Side extends ReactorCall {
  /** The caller whose rights the transforms use. */
  readonly acting: Caller;
  /** Opens the tokens of stored expressions, which are used through this proxy. */
  readonly resolve: ResolveReferences;
  /** Whether the destination has the request. */
  readonly isSent: boolean;
  readonly writes: WriteIdentity;
}

const READS_BODY: ReadonlySet<Transform['type']> = new Set(['append_json', 'tokenize', 'mask', 'reactor']);

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
  if (side.isSent) return withJsonAt(message, location, value, side.budget);
  const fields = new TemplateFields(deps.random.integer, side.budget.expressions);
  const { value: filled } = await fillJson(value, 'value', fields, side.resolve);
  return withJsonAt(message, location, filled.reveal(), side.budget);
}

/** Makes a token of a value, whose place its id takes. */
async function tokenizeValue(
  deps: RunReactorDeps,
  { location, token }: TokenizeValue,
  message: Message,
  { acting, writes, budget }: Side,
): Promise<Message> {
  const data = jsonAt(message, location, budget);
  const input = deps.parseTokenInput({ ...token, data }, '');
  const [result] = await createTokens(deps, acting, [{ path: '', input }], writes, budget.expressions);
  if (result === undefined) throw new Error('proxy: a token was lost');
  return withJsonAt(message, location, 'token' in result ? result.token.id : result.id, budget);
}

/** The members that data of the token has by name. */
const dataMembersOf = ({ token }: TokenizeValue): readonly string[] =>
  TOKEN_TYPE_NAMES.flatMap((name) => (name === token['type'] ? (tokenType(name).dataMembers ?? []) : []));

async function runTransform(
  deps: RunReactorDeps,
  transform: Transform,
  message: Message,
  side: Side,
): Promise<Message> {
  switch (transform.type) {
    case 'append_header':
      return side.isSent || !hasExpression(transform.value)
        ? withHeader(message, transform.name, asFieldValue(transform.value))
        : appendFilledHeader(deps, transform, message, side);
    case 'append_json':
      return appendJson(deps, transform, message, side);
    case 'remove_header':
      return withoutHeader(message, transform.name);
    case 'allow_headers':
      return withOnlyHeaders(message, transform.names);
    case 'tokenize':
      return tokenizeValue(deps, transform, message, side);
    case 'mask':
      return maskMessage(transform, message, side.budget);
    case 'reactor':
      return runOnMessage(deps, transform, message, side);
    case 'verify_signature':
      // It was checked over the request as received, before all others.
      return message;
  }
}

/**
 * Runs transforms on a message in their order. Throws `transform_failed`, before the destination
 * with 400 and after it with 502.
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
  let changed = message;
  for (const [at, transform] of transforms.entries()) {
    const before = changed;
    const own = { ...side, writes: side.writes.part(at + (side.isSent ? RESPONSE_PARTS : 0)) };
    const place = {
      side: side.isSent ? ('response' as const) : ('request' as const),
      number: at,
      type: transform.type,
      ...(transform.type === 'tokenize' && {
        location: transform.location,
        dataMembers: dataMembersOf(transform),
      }),
      sentPlaces: (location: string) =>
        before.body === message.body ? placesBelow(message, location) : () => false,
    };
    changed = await guarded(place, async () => {
      checkTime();
      if (READS_BODY.has(transform.type)) side.budget.read(before.body.length);
      const after = await runTransform(deps, transform, before, own);
      checkTime();
      if (after.body.length > PROXY_LIMITS.bodyMaxBytes)
        throw new TransformError(`the body would have more than ${String(PROXY_LIMITS.bodyMaxBytes)} bytes`);
      return after;
    });
  }
  return changed;
}

/** The first number of the parts of a call that its answer makes. */
const RESPONSE_PARTS = 1_000;
