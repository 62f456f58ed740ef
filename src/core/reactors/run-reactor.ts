import type { Way } from '../access/access-decision.ts';
import type { Caller } from '../access/caller.ts';
import { requireUse } from '../access/require-permission.ts';
import { defined } from '../shared/defined.ts';
import type { ClientCompatibility } from '../shared/client-compatibility.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { dayOf } from '../shared/day-of.ts';
import { nearestName } from '../shared/known-names.ts';
import { errorsBelow } from '../shared/member-path.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import { Secret } from '../shared/secret.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { detokenizeJson } from '../tokens/detokenize.ts';
import { tokenUseOf, type TokenUse } from '../tokens/token-use.ts';
import type { CreateTokenDeps } from '../tokens/create-tokens.ts';
import { tokenize, type ParseTokenInput, type Tokenized } from '../tokens/tokenize.ts';
import { applicationOf, existingReactor, type GetReactorDeps } from './get-reactor.ts';
import { withInvocationCredential, type InvocationCredentialStore } from './invocation-credential.ts';
import { openConfiguration } from './open-reactor.ts';
import { REACTOR_LIMITS, type StoredReactor } from './reactor.ts';
import { reactorFailure, type RunKind } from './reactor-failure.ts';
import type { ReactorMaker } from './reactor-maker.ts';
import type {
  ClientCredential,
  RanOutcome,
  ReactorRunner,
  RunOutcome,
  RunRequest,
} from './reactor-runner.ts';

export interface RunReactorDeps extends GetReactorDeps, CreateTokenDeps {
  readonly reactorRunner: ReactorRunner;
  readonly reactorMaker: ReactorMaker;
  readonly invocationCredentials: InvocationCredentialStore;
  readonly parseTokenInput: ParseTokenInput;
}

/** The arguments of a run, with expressions, and how the code reaches the service. */
export interface RunInput {
  readonly reactorId: string;
  readonly args: Json;
  /** The way that plaintext takes; see `wayOf`. */
  readonly way: Way;
  /** Address and header prefix for the client that the code gets. */
  readonly service: Omit<ClientCredential, 'apiKey'>;
  /** Time limit of the code, in ms. */
  readonly timeoutMs: number;
  /** The caller stops waiting at this time, in ms since the epoch. */
  readonly deadline: number;
  /** The only code that may run, by its hash; absent for whatever the reactor has. */
  readonly codeHash?: string;
}

/** A reactor returns this (docs/contract.md#the-reactor-response-object). */
export interface ReactorResult {
  readonly raw?: Secret<Json>;
  readonly tokens?: Tokenized;
}

/**
 * Whether the code may run again under the same idempotency key, because it did not start or threw
 * an error itself.
 */
export function mayRunAgain({ outcome }: RunOutcome): boolean {
  return ['stale', 'gone', 'not_loaded', 'threw'].includes(outcome);
}

/**
 * How arguments are detokenized. Their size has the same limit as an invocation
 * (docs/contract.md#limits).
 */
export const argsIn = (way: Way) =>
  ({ right: { use: way }, maxBytes: REACTOR_LIMITS.invocationBytes }) as const;

/**
 * How often the record is read while the reactor is being changed, and the pause between reads in
 * ms.
 */
const READINGS = 12;
const PAUSE_MS = 250;

/**
 * Throws `forbidden` for a caller that may not invoke reactors at all
 * (docs/contract.md#invoke-a-reactor).
 */
export function checkInvoker(caller: Caller, way: Way): void {
  if (caller.type !== 'private' && caller.type !== 'session')
    throw new ServiceError('forbidden', 'Only private applications and sessions invoke reactors.');
  if (caller.actsBy === 'invocation')
    throw new ServiceError('forbidden', 'The credential of an invocation does not invoke reactors.');
  requireUse(caller, way);
}

async function runVersion(
  deps: RunReactorDeps,
  reactor: StoredReactor,
  args: Secret<Json>,
  { service, timeoutMs, deadline }: RunInput,
  pinned: Pick<RunRequest, 'functionVersion'> = {},
): Promise<RunOutcome> {
  const [configuration, application] = await Promise.all([
    openConfiguration(deps.vault, reactor),
    applicationOf(deps, reactor),
  ]);
  const request = {
    ...pinned,
    reactorId: reactor.id,
    codeHash: reactor.codeHash,
    args,
    configuration,
    timeoutMs,
    deadline,
  };
  if (application === undefined) return deps.reactorRunner.run(request);
  return withInvocationCredential(deps, application, deadline, (apiKey) =>
    deps.reactorRunner.run({ ...request, client: { ...service, apiKey } }),
  );
}

const hasRun = (outcome: RunOutcome): outcome is RanOutcome =>
  outcome.outcome !== 'stale' && outcome.outcome !== 'gone';

/** Throws `conflict` for a reactor that has other code than a run asks for. */
function checkPinned(reactor: StoredReactor, { codeHash }: RunInput): void {
  if (codeHash !== undefined && codeHash !== reactor.codeHash)
    throw new ServiceError('conflict', 'The code of the reactor has changed.');
}

/**
 * Runs the code that the record names. While the reactor is being updated, or after an interrupted
 * update, instances of `live` may return `stale`. Then the recorded version runs
 * (docs/decisions/0008). A function that is missing, as after a restore, is made again.
 */
async function runCurrentVersion(
  deps: RunReactorDeps,
  found: StoredReactor,
  args: Secret<Json>,
  input: RunInput,
): Promise<RanOutcome> {
  let reactor = found;
  let isAsked = false;
  for (let readings = 1; readings <= READINGS; readings += 1) {
    checkPinned(reactor, input);
    const live = await runVersion(deps, reactor, args, input);
    if (hasRun(live)) return live;
    const { functionVersion } = reactor;
    const pinned =
      functionVersion === undefined
        ? live
        : await runVersion(deps, reactor, args, input, { functionVersion });
    if (hasRun(pinned)) return pinned;
    // The recorded version is missing, so the record has changed and must be read again.
    const before = functionVersion;
    reactor = await existingReactor(deps, found.tenantId, found.id);
    if (pinned.outcome === 'gone' && reactor.functionVersion === before && !isAsked) {
      isAsked = true;
      await deps.reactorMaker.makeAgain(reactor);
      reactor = await existingReactor(deps, found.tenantId, found.id);
    } else await deps.pause(PAUSE_MS);
  }
  throw new ServiceError('dependency_unavailable', 'The reactor is being updated.', {
    headers: { 'Retry-After': '5' },
  });
}

const PARTS = ['raw', 'tokenize'];

/**
 * Throws `reactor_failed` for members other than `raw` and `tokenize`, which no caller would see.
 */
function checkParts(value: JsonObject): void {
  const unknown = Object.keys(value).find((name) => !PARTS.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, PARTS);
  throw new ServiceError(
    'reactor_failed',
    near === undefined
      ? 'The code must return an object with no members other than `raw` and `tokenize`.'
      : `The code returned an unknown member: did you mean \`${near}\`?`,
  );
}

/** Throws `reactor_failed` if all members would be ignored, because the caller would get `{}`. */
function checkIsRead(value: JsonObject): void {
  const names = Object.keys(value);
  if (names.length > 0 && !names.some((name) => PARTS.includes(name)))
    throw new ServiceError(
      'reactor_failed',
      'The code returned an object of which nothing is read: only the members `raw` and `tokenize` are.',
    );
}

function parseReactorOutput(
  value: Json,
  compatibility: ClientCompatibility,
): { readonly raw?: Json; readonly tokenize?: Json } {
  if (value === null) return {};
  if (!isJsonObject(value))
    throw new ServiceError(
      'reactor_failed',
      'The code must return an object with `raw`, `tokenize`, or both.',
    );
  if (compatibility === 'strict') checkParts(value);
  else checkIsRead(value);
  const { raw, tokenize: payload } = value;
  return defined({ raw, tokenize: payload ?? undefined });
}

/**
 * The parts that the code returned. Throws {@link reactorFailure} for any other outcome.
 */
export function returnedParts(outcome: RanOutcome, kind: RunKind, compatibility: ClientCompatibility) {
  if (outcome.outcome !== 'returned') throw reactorFailure(outcome, kind);
  return parseReactorOutput(outcome.value.reveal(), compatibility);
}

/**
 * Puts `tokenize` before the paths of an error of tokenizing, as the author of the code knows them.
 */
function belowTokenize(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.errors === undefined) return error;
  return new ServiceError(error.code, error.message, { errors: errorsBelow('tokenize', error.errors) });
}

/** A run whose arguments are filled in. The code has not run. */
export interface PreparedRun {
  readonly reactor: StoredReactor;
  readonly args: Secret<Json>;
  readonly input: RunInput;
  /** The tokens that were filled in. The response is stored only as long as they exist. */
  readonly uses: readonly TokenUse[];
  /**
   * These tokens limit how long the response may be stored, in ms since the epoch; absent without
   * an end.
   */
  readonly keepUntil?: number;
}

/** How a prepared run runs, for the words of its failure. */
export const runKind = ({ reactor, input }: Pick<PreparedRun, 'reactor' | 'input'>): RunKind => ({
  limitMs: input.timeoutMs,
  image: reactor.image,
});

/** Throws `not_found`, and the errors of {@link detokenizeJson}, with paths below `args`. */
export async function prepareRun(
  deps: RunReactorDeps,
  caller: Caller,
  input: RunInput,
): Promise<PreparedRun> {
  const reactor = await existingReactor(deps, caller.tenantId, input.reactorId);
  const {
    value: args,
    keepUntil,
    tokens,
  } = await detokenizeJson(deps, caller, argsIn(input.way), input.args, 'args');
  const value = args.reveal();
  // This is checked after detokenization: one complex token can be all of the arguments
  // (docs/contract.md#invoke-a-reactor).
  if (typeof value !== 'object' || value === null) throw invalid('args', 'must be an object or an array');
  const uses = tokens.map(tokenUseOf);
  return defined({ reactor, args, input, uses, keepUntil });
}

/**
 * Runs the code at most once. Rejects only if the code certainly did not run (see
 * {@link ReactorRunner}). Notes the first call of a day, which running instances are for.
 */
export async function executeRun(
  deps: RunReactorDeps,
  { reactor, args, input }: Pick<PreparedRun, 'reactor' | 'args' | 'input'>,
): Promise<RanOutcome> {
  const day = dayOf(deps.clock());
  const noted =
    reactor.calledOn === day ? undefined : deps.reactorStore.noteCall(reactor, day).catch(() => undefined);
  const outcome = await runCurrentVersion(deps, reactor, args, input);
  await noted;
  return outcome;
}

/**
 * Makes the response, and tokenizes its `tokenize` part on behalf of the caller. Throws the
 * failures of the code (see {@link reactorFailure}), and for `tokenize` the errors of
 * {@link tokenize}.
 */
export async function concludeRun(
  deps: RunReactorDeps,
  caller: Caller,
  outcome: RanOutcome,
  kind: RunKind,
  writes: WriteIdentity,
): Promise<ReactorResult> {
  const { raw, tokenize: payload } = returnedParts(outcome, kind, deps.clientCompatibility);
  const response = raw === undefined ? {} : { raw: new Secret(raw) };
  if (payload === undefined) return response;
  // The code chose the data, so the application is not its only writer.
  const onBehalf = { ...caller, actsBy: 'reactor' } as const;
  try {
    return { ...response, tokens: await tokenize(deps, onBehalf, payload, deps.parseTokenInput, writes) };
  } catch (error) {
    throw belowTokenize(error);
  }
}
