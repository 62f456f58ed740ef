// `npm run bench -- expressions`: the longest time of one step of an expression's budget, over
// hostile inputs of every filter. `-- expressions NAME` measures one filter, and `--precise` more
// steps of each, for a clock that cannot see the usual number.
import { createBudget, REQUEST_STEPS, type Budget } from '../../src/core/expressions/budget.ts';
import { ExpressionError } from '../../src/core/expressions/expression-error.ts';
import { FILTER_NAMES } from '../../src/core/expressions/liquid-expression.ts';
import { renderTemplate } from '../../src/core/expressions/render.ts';
import type { Json } from '../../src/core/shared/json.ts';
import { HOSTILE_INPUTS, SOURCES, type HostileInput } from './expressions/hostile-inputs.ts';
import { report } from './section.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { readArguments } from '../read-arguments.ts';

/** Milliseconds that a whole budget may take, however it is spent. */
const LIMIT_MS = 300;
const SIZES = [10, 1_000, 100_000];
/** A measurement is of at least this many steps or evaluations, so that the clock can see it. */
const { values: options, positionals } = readArguments(
  'npm run bench -- expressions [FILTER...] [--precise]',
  {
    allowPositionals: true,
    options: { precise: { type: 'boolean', default: false } },
  },
);
const STEPS_MIN = options.precise ? 60_000_000 : 1_500_000;
const EVALUATIONS_MAX = options.precise ? 20_000 : 2_000;
/** The best of several: interference makes a measurement longer, never shorter. */
const ROUNDS = 4;
const WARM_UPS = 100;
const SHOWN = 25;

interface Measured {
  readonly what: string;
  readonly nanoseconds: number;
}

/**
 * Steps of one evaluation; `undefined` if it exceeds the budget. A failing filter has a cost too.
 */
function stepsOf(evaluate: (budget: Budget) => unknown): number | undefined {
  const budget = createBudget(machinePlatform.random.integer);
  try {
    evaluate(budget);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    if (budget.used === REQUEST_STEPS) return undefined;
  }
  return budget.used;
}

/** Processor time, so that other programs on the machine do not count. */
function cpuMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function nanosecondsPerStep(evaluate: (budget: Budget) => unknown): number | undefined {
  const once = stepsOf(evaluate);
  if (once === undefined) return undefined;
  const times = Math.min(EVALUATIONS_MAX, Math.ceil(STEPS_MIN / once));
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = cpuMicroseconds();
    for (let each = 0; each < times; each += 1) stepsOf(evaluate);
    best = Math.min(best, ((cpuMicroseconds() - start) * 1e3) / (times * once));
  }
  return best;
}

function measure({ filter, expression, data }: HostileInput): readonly Measured[] {
  const measured = SIZES.map((size): Measured | undefined => {
    // Large data that exceeds the budget is halved until it does not.
    for (let smaller = size; smaller >= size / 300; smaller /= 2) {
      const value: Json = data(Math.ceil(smaller));
      const nanoseconds = nanosecondsPerStep((budget) =>
        renderTemplate(`{{ ${expression} }}`, { data: value }, budget),
      );
      if (nanoseconds !== undefined) return { what: `${filter}, ${String(Math.ceil(smaller))}`, nanoseconds };
    }
    return undefined;
  });
  return measured.filter((each) => each !== undefined);
}

/** Each evaluation gets a new source, because a cache would return a known one. */
function measureParsing(): readonly Measured[] {
  let turn = 0;
  return SOURCES.flatMap((source, index) =>
    [10, 300, 9_000].map((size): Measured => {
      const nanoseconds = nanosecondsPerStep((budget) => {
        turn += 1;
        return renderTemplate(
          `{{ ${source(size)} }}${String(turn % 100_000).padStart(5)}`,
          { data: 1 },
          budget,
        );
      });
      return { what: `parsing ${String(index)}, ${String(size)}`, nanoseconds: nanoseconds ?? 0 };
    }),
  );
}

const [only] = positionals;
const inputs = HOSTILE_INPUTS.filter(({ filter }) => only === undefined || filter.startsWith(only));
/** A first measurement would include compilation. */
for (const input of inputs.slice(0, WARM_UPS)) measure(input);
const missing = FILTER_NAMES.filter(
  (name) => !HOSTILE_INPUTS.some(({ expression }) => expression.includes(`| ${name}`)),
);
if (missing.length > 0) throw new Error(`no hostile input for ${missing.join(', ')}`);

const all = [
  ...inputs.flatMap(measure),
  ...(only === undefined || only === 'parsing' ? measureParsing() : []),
].toSorted((a, b) => b.nanoseconds - a.nanoseconds);
const worst = all[0]?.nanoseconds ?? 0;
const whole = (nanoseconds: number) => (nanoseconds * REQUEST_STEPS) / 1e6;

report({
  budgets: [
    {
      budget: 'all expressions of a request',
      limit: `${String(LIMIT_MS)} ms`,
      measured:
        worst > 0
          ? `${whole(worst).toFixed(0)} ms (${worst.toFixed(2)} ns a step)`
          : 'nothing: every measurement is too short for the clock of this machine: use --precise',
      reference: `${String(REQUEST_STEPS)} steps, ${String(all.length)} inputs`,
      isMet: worst > 0 && whole(worst) <= LIMIT_MS,
    },
  ],
  figures: [
    {
      title: 'Expressions: what a step takes at the most',
      columns: ['filter, size of its data', 'a step', 'a whole budget'],
      rows: all
        .slice(0, SHOWN)
        .map(({ what, nanoseconds }) => [
          what,
          `${nanoseconds.toFixed(2)} ns`,
          `${whole(nanoseconds).toFixed(0)} ms`,
        ]),
    },
  ],
});
