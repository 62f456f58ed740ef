import { drawingFrom } from '../expressions/alias-filters.ts';
import type { Budget } from '../expressions/budget.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { ALIAS_FILTERS, MASKING_FILTERS } from '../expressions/filters.ts';
import { checkTemplate, renderTemplate } from '../expressions/render.ts';
import { hasExpression } from '../expressions/template.ts';
import { chargedTextOf } from '../expressions/weight.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import { invalid } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { tellsTooMuch, type IdentifyingValue } from './identifying-value.ts';
import { tokenIdProblem } from './token-id.ts';
import type { TokenType } from './types/definition.ts';

/** Aliases that are tried before the id becomes a UUID. */
const ALIAS_ATTEMPTS = 8;
/**
 * Draws of one alias: one in a few tells a digit too much by chance, and an expression of which all
 * do always does.
 */
const DRAWS = 32;
/** Steps of the look at what an id tells. */
const LOOK = 30_000;

interface Options {
  readonly type: TokenType;
  readonly writes: Pick<WriteIdentity, 'newId' | 'randomInt'>;
  readonly budget: Budget;
}

/** Checks the form of an id, and whether it tells more than may show (docs/decisions/0004). */
function checkId(id: string, identifying: readonly IdentifyingValue[]): string {
  const problem = tokenIdProblem(id);
  if (problem !== undefined) throw invalid('id', problem);
  if (tells(id, identifying)) throw invalid('id', 'must not contain the data of the token');
  return id;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function identifyingValues({ identifying }: TokenType, data: Json): readonly IdentifyingValue[] {
  return identifying === 'unknown' ? [] : identifying(data);
}

function tells(id: string, identifying: readonly IdentifyingValue[]): boolean {
  return !UUID.test(id) && identifying.some((value) => tellsTooMuch(id, value));
}

/** Throws `validation_failed` for new data that the id of its token would tell too much of. */
export function checkDataUnderId(id: string, type: TokenType, data: Json): void {
  if (tells(id, identifyingValues(type, data)))
    throw invalid('data', 'must not be what the id of the token contains');
}

function asInvalid<T>(evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof ExpressionError) throw invalid('id', error.message);
    throw error;
  }
}

/** Aliases that an expression draws, one after the other, each telling no more than may show. */
function* aliases(
  expression: string,
  data: Json,
  { type, writes, budget }: Options,
): Generator<string, never> {
  const identifying = identifyingValues(type, data);
  const allowed = {
    names: ['data'],
    ...(type.identifying === 'unknown' ? {} : { filters: [...ALIAS_FILTERS, ...MASKING_FILTERS] }),
  };
  const { filters } = asInvalid(() => checkTemplate(expression, allowed, budget));
  const isRandom = filters.some((name) => ALIAS_FILTERS.includes(name));
  for (;;) {
    let alias = '';
    for (let draw = 0; draw < (isRandom ? DRAWS : 1); draw += 1) {
      alias = asInvalid(() =>
        drawingFrom(writes.randomInt, () =>
          chargedTextOf(renderTemplate(expression, { data }, budget), budget),
        ),
      );
      asInvalid(() => {
        budget.charge(LOOK);
      });
      if (!identifying.some((value) => tellsTooMuch(alias, value))) break;
    }
    yield checkId(alias, identifying);
  }
}

/**
 * The ids to try for a new token, in order: the literal one alone; aliases of an expression, then a
 * UUID; or a UUID. Throws `validation_failed` for an expression that fails, holds what an id must
 * not hold, or gives no valid id, and for an id that tells more of the data than may show.
 */
export function* tokenIds(id: string | undefined, data: Secret<Json>, options: Options): Generator<string> {
  if (id !== undefined && !hasExpression(id)) {
    yield checkId(id, identifyingValues(options.type, data.reveal()));
    return;
  }
  if (id !== undefined) {
    const tried = new Set<string>();
    const drawn = aliases(id, data.reveal(), options);
    for (let attempt = 0; attempt < ALIAS_ATTEMPTS; attempt += 1) {
      const alias = drawn.next().value;
      if (!tried.has(alias)) yield alias;
      tried.add(alias);
    }
  }
  yield options.writes.newId();
}
