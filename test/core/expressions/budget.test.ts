import { MASK_STEPS, REQUEST_STEPS, type Budget } from '../../../src/core/expressions/budget.ts';
import { ExpressionError } from '../../../src/core/expressions/expression-error.ts';
import { FILTER_NAMES } from '../../../src/core/expressions/liquid-expression.ts';
import { renderTemplate, renderTemplates } from '../../../src/core/expressions/render.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import type { ServiceError } from '../../../src/core/shared/service-error.ts';
import { maskData } from '../../../src/core/tokens/open-token.ts';
import { DATA_MAX_BYTES, prepareContent } from '../../../src/core/tokens/prepare-content.ts';
import { tokenType } from '../../../src/core/tokens/token-type.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

/** Aliases are random: the same length and kind, but another text each time. */
const names = FILTER_NAMES.filter((name) => !name.startsWith('alias_'));

const argument = fc.oneof(
  fc.constantFrom(
    'data',
    'data.a',
    'data[0]',
    "''",
    "'a'",
    "'<'",
    "' '",
    '0',
    '1',
    '4',
    '-1',
    '100000',
    '1000000000000',
    'true',
  ),
  fc.constantFrom(
    "'%c%999N'",
    "'$..*'",
    "'$..[?@.a == $[0]]'",
    "'a.a.a'",
    "'a[(1..1000)]'",
    '(1..10000)',
    'nil',
    'empty',
  ),
  fc.integer({ min: 1, max: 900 }).map((length) => `'${'a'.repeat(length)}b'`),
);
const filter = fc
  .tuple(fc.constantFrom(...names), fc.array(argument, { maxLength: 3 }))
  .map(([name, input]) => (input.length === 0 ? name : `${name}: ${input.join(', ')}`));
const expression = fc
  .tuple(
    fc.constantFrom('data', 'data.a', '(1..1000)', "'now'", 'data.list'),
    fc.array(filter, { maxLength: 8 }),
  )
  .map(([value, filters]) => `{{ ${[value, ...filters].join(' | ')} }}`);

const text = fc
  .tuple(
    fc.constantFrom('a', '<', ' ', '&amp;', '\u0001', '1', '€', '\r\n', 'é-', '\ud800'),
    fc.integer({ min: 1, max: 50_000 }),
  )
  .map(([unit, times]) => unit.repeat(times));
const value: fc.Arbitrary<Json> = fc.oneof(
  text,
  fc
    .tuple(text, fc.integer({ min: 1, max: 20 }))
    .map(([each, times]) => Array.from({ length: times }, () => each)),
  fc
    .integer({ min: 1, max: 5_000 })
    .map((length) => Array.from({ length }, (_, index) => (index * 7_919) % 10_007)),
  fc
    .integer({ min: 1, max: 500 })
    .map((length) => Array.from({ length }, (_, index) => ({ a: { a: index } }))),
  fc.integer({ min: 1, max: 60 }).map((depth) => {
    let nested: Json = 'x';
    for (let level = 0; level < depth; level += 1) nested = ['', nested];
    return nested;
  }),
);
const data = fc.oneof(value, fc.record({ a: value, list: value }));

/** Evaluates, and returns the outcome and the number of steps. */
function evaluated(budget: Budget, evaluate: () => unknown): readonly [outcome: string, used: number] {
  try {
    return [JSON.stringify(evaluate()), budget.used];
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return [error.message, budget.used];
  }
}

/** `now` is another text in each evaluation. */
const isTimeless = (template: string) => !template.includes("'now'") && !template.includes('date');

describe('the budget of expressions', () => {
  it('charges the same steps for the same evaluation, and stops it at the limit', () => {
    fc.assert(
      fc.property(
        expression.filter(isTimeless),
        data,
        fc.integer({ min: 0, max: 99 }),
        (template, input, percent) => {
          const whole = aBudget();
          const first = evaluated(whole, () => renderTemplate(template, { data: input }, whole));
          const again = aBudget();
          expect(evaluated(again, () => renderTemplate(template, { data: input }, again))).toEqual(first);
          expect(whole.used).toBeGreaterThan(0);
          expect(whole.used).toBeLessThanOrEqual(REQUEST_STEPS);

          const less = Math.floor((whole.used * percent) / 100);
          const part = aBudget().part(less);
          const [outcome, used] = evaluated(part, () => renderTemplate(template, { data: input }, part));
          expect(outcome).toBe(`takes more than ${String(less)} steps`);
          expect(used).toBe(less);
        },
      ),
      { numRuns: cases(100) },
    );
  });

  it('is shared by all expressions of a request: no sequence of them takes more', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(expression, data), { minLength: 5, maxLength: 12 }), (request) => {
        const budget = aBudget();
        for (const [template, input] of request)
          evaluated(budget, () =>
            renderTemplates([template, template], { data: input }, budget.part(REQUEST_STEPS)),
          );
        expect(budget.used).toBeLessThanOrEqual(REQUEST_STEPS);
      }),
      { numRuns: cases(15) },
    );
  });

  it('accepts a mask on write only if every later read can evaluate it', () => {
    fc.assert(
      fc.property(expression.filter(isTimeless), data, (mask, input) => {
        fc.pre(Buffer.byteLength(JSON.stringify(input)) <= DATA_MAX_BYTES);
        const content = { data: new Secret(input), mask: { shown: mask } };
        let written: Secret<Json> | undefined;
        try {
          written = prepareContent(tokenType('token'), content, {
            now: 0,
            budget: aBudget(),
            clientCompatibility: 'strict',
          }).masked;
        } catch (error) {
          // A budget that is used up is reported for the whole mask.
          const { errors = {} } = error as ServiceError;
          expect([['mask'], ['mask.shown']]).toContainEqual(Object.keys(errors));
        }
        const page = aBudget();
        const read = maskData({ shown: mask }, new Secret(input), page);
        expect(read?.reveal()).toEqual(written?.reveal());
        expect(page.used).toBeLessThanOrEqual(MASK_STEPS);
      }),
      { numRuns: cases(100) },
    );
  });

  it('is enough for a page of the most expensive masks', () => {
    const dear = {
      mask: Array.from({ length: 100 }, () => '{{ data | sort | size }}'),
      data: [] as number[],
    };
    const page = aBudget();
    for (let size = 1; maskData(dear.mask, new Secret(dear.data), aBudget()) !== undefined; size += 1)
      dear.data = Array.from({ length: size }, (_, index) => index);
    dear.data.pop();
    for (let token = 0; token < 100; token += 1)
      expect(maskData(dear.mask, new Secret<Json>(dear.data), page)).toBeDefined();
    expect(page.used).toBeGreaterThan(REQUEST_STEPS * 0.9);
  });
});
