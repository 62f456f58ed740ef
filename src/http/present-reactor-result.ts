import type { ReplayedReaction } from '../core/reactors/replay-reaction.ts';
import { defined } from '../core/shared/defined.ts';
import type { JsonObject } from '../core/shared/json.ts';
import { presentTokenized } from './present-token.ts';
import { problemOf } from './problem.ts';

/** The Reactor response object (docs/contract.md#the-reactor-response-object). */
export function presentReactorResult({ raw, tokens }: ReplayedReaction): JsonObject {
  return defined({ tokens: tokens && presentTokenized(tokens), raw: raw?.reveal() });
}

/** The error object of a failure that is part of a result. */
export function presentFailure(error: unknown): JsonObject {
  const { title, status, code, detail, errors } = problemOf(error).problem;
  return defined({
    title,
    status,
    code,
    detail,
    errors: errors && Object.fromEntries(Object.entries(errors)),
  });
}
