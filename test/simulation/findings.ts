import type { Answer } from './service.ts';

/** A promise that is broken, in one sentence. */
export interface Problem {
  /** The judge that found it. */
  readonly judge: string;
  readonly text: string;
}

/** A request that was answered, with what its record in the audit trail must have. */
export interface Answered {
  readonly label: string;
  readonly trace: string;
  readonly status: number;
  /** How the service itself ended it (docs/contract.md#outcomes). */
  readonly outcome: 'ok' | 'refused' | 'invalid' | 'failed';
  /** Tokens that the answer shows, or that were filled into something. */
  readonly ids: readonly string[];
  /** The token that it deleted. */
  readonly deleted: string | undefined;
  /** The application whose own key the request had, if that is known. */
  readonly applicationId: string | undefined;
  /** Its record is in a trail that no judge reads: of another tenant, or of the deployment. */
  readonly isForeign: boolean;
}

/** Everything that the clients of a run observed. */
export interface Findings {
  readonly problems: Problem[];
  readonly answered: Answered[];
  /** Credentials and data of cards, none of which may be stored or logged as it is. */
  readonly secrets: Set<string>;
  /** Number of answers by step and status. */
  readonly counts: Map<string, number>;
}

export const noFindings = (): Findings => ({
  problems: [],
  answered: [],
  secrets: new Set(),
  counts: new Map(),
});

/** The outcome of an answer: a status that a destination gave is none of the service. */
export function outcomeOf({ status, headers }: Answer): Answered['outcome'] {
  if (status < 400 || headers['svc-proxy-destination-status'] !== undefined) return 'ok';
  if (status >= 500) return 'failed';
  return [401, 403, 404].includes(status) ? 'refused' : 'invalid';
}

/** Ids of the tokens in an answer: objects with a type of token. */
export function tokensIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(tokensIn);
  const { id, type, ...rest } = value as Readonly<Record<string, unknown>>;
  const isToken = typeof id === 'string' && (type === 'token' || type === 'card');
  return [...(isToken ? [id] : []), ...Object.values(rest).flatMap(tokensIn)];
}

function isProblemBody({ body }: Answer): boolean {
  const problem = body?.proxy_error ?? body;
  return typeof problem?.title === 'string' && typeof problem.status === 'number';
}

/**
 * A failure that the contract allows while dependencies fail: 429 and 503 with `Retry-After`, and
 * 409 where something can conflict, in the shape of errors; and what the gateway says of a function
 * that died.
 */
export function isClearFailure(
  answer: Answer,
  { mayDie, mayConflict }: { readonly mayDie: boolean; readonly mayConflict: boolean },
): boolean {
  const { status, headers, body } = answer;
  if (mayDie && status === 500 && body?.message === 'Internal Server Error') return true;
  if (!isProblemBody(answer)) return false;
  return (
    (status === 409 && mayConflict) || ([429, 503].includes(status) && Number(headers['retry-after']) > 0)
  );
}
