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
import { revealsTooMuch, spellsDigits, type IdentifyingValue } from './identifying-value.ts';
import { isServiceId, serviceIdOf } from './service-id.ts';
import { tokenIdProblem } from './token-id.ts';
import type { TokenType } from './types/definition.ts';

/** Number of aliases to try before the id becomes a UUID. */
const ALIAS_ATTEMPTS = 8;
/**
 * Draws for one alias. A few aliases show one digit too many by chance. If all draws do, the
 * expression always does.
 */
const DRAWS = 32;
/** Budget steps charged for checking whether an alias shows too much of the data. */
const CHECK_STEPS = 30_000;

interface Options {
  readonly tenantId: string;
  readonly type: TokenType;
  readonly writes: Pick<WriteIdentity, 'newId' | 'randomInt'>;
  readonly budget: Budget;
}

/**
 * Checks the form of an id, and that it shows no more of the data than allowed
 * (docs/decisions/0004).
 */
function checkId(id: string, identifying: readonly IdentifyingValue[]): string {
  const problem = tokenIdProblem(id);
  if (problem !== undefined) throw invalid('id', problem);
  if (revealsData(id, identifying)) throw invalid('id', 'must not contain the data of the token');
  return id;
}

const UUID_FORM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function identifyingValues({ identifying }: TokenType, data: Json): readonly IdentifyingValue[] {
  return identifying === 'unknown' ? [] : identifying(data);
}

function revealsData(id: string, identifying: readonly IdentifyingValue[]): boolean {
  const reveals = UUID_FORM.test(id) ? spellsDigits : revealsTooMuch;
  return identifying.some((value) => reveals(id, value));
}

/** Throws `validation_failed` for new data if the token's id would show too much of it. */
export function checkDataUnderId(id: string, type: TokenType, data: Json): void {
  if (revealsData(id, identifyingValues(type, data)))
    throw invalid('data', 'must not be contained in the id of the token');
}

function asInvalid<T>(evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof ExpressionError) throw invalid('id', error.message);
    throw error;
  }
}

/** Draws aliases from an expression. Each shows no more of the data than allowed. */
function* aliases(
  expression: string,
  data: Json,
  { type, writes, budget }: Options,
): Generator<string, never> {
  const identifying = identifyingValues(type, data);
  const drawing = budget.drawingFrom(writes.randomInt);
  const allowed = {
    names: ['data'],
    ...(type.identifying === 'unknown' ? {} : { filters: [...ALIAS_FILTERS, ...MASKING_FILTERS] }),
  };
  const { filters } = asInvalid(() => checkTemplate(expression, allowed, budget));
  const isRandom = filters.some((name) => ALIAS_FILTERS.includes(name));
  for (;;) {
    let alias = '';
    for (let draw = 0; draw < (isRandom ? DRAWS : 1); draw += 1) {
      alias = asInvalid(() => chargedTextOf(renderTemplate(expression, { data }, drawing), budget));
      asInvalid(() => {
        budget.charge(CHECK_STEPS);
      });
      if (!revealsData(alias, identifying)) break;
    }
    yield checkId(alias, identifying);
  }
}

/** The id that a request chose word for word; `undefined` for an expression and for none. */
export const literalId = (id: string | undefined): string | undefined =>
  id === undefined || hasExpression(id) ? undefined : id;

/**
 * The ids to try, in order: a literal; or aliases of an expression, then a UUID; or a UUID. There
 * is none for a literal that only the service makes, since it exists or could. Throws
 * `validation_failed` for a failing expression, and for an invalid or too revealing id.
 */
export function* chooseTokenIds(
  id: string | undefined,
  data: Secret<Json>,
  options: Options,
): Generator<string> {
  const literal = literalId(id);
  if (literal !== undefined) {
    checkId(literal, identifyingValues(options.type, data.reveal()));
    if (!isServiceId(options.tenantId, literal)) yield literal;
    return;
  }
  if (id !== undefined) {
    const tried = new Set<string>();
    const drawn = aliases(id, data.reveal(), options);
    for (let attempt = 0; attempt < ALIAS_ATTEMPTS; attempt += 1) {
      const alias = drawn.next().value;
      if (!tried.has(alias) && !isServiceId(options.tenantId, alias)) yield alias;
      tried.add(alias);
    }
  }
  yield serviceIdOf(options.tenantId, options.writes.newId());
}
