import { NO_FAULTS, type CallFaults } from './calls.ts';
import type { LifeFaults } from './service.ts';
import type { ReceiverFaults } from './models/internet-model.ts';
import type { QueueFaults } from './models/queue-model.ts';
import { seeded, type Draws } from './seeded.ts';
import { STEP_NAMES, type StepName } from './steps.ts';

/** Everything that decides a run: the same plan makes the same history. */
export interface Plan {
  readonly seed: string;
  /** Each client does these, one step after the other. A step draws by its number. */
  readonly clients: readonly (readonly PlannedStep[])[];
  readonly faults: Readonly<Record<'dynamodb' | 'kms' | 'sqs' | 'lambda', CallFaults>>;
  readonly life: LifeFaults;
  readonly queues: QueueFaults;
  readonly receivers: ReceiverFaults;
  /** How old what an eventually consistent read sees may be, in ms. */
  readonly lagMs: number;
  /** A client pauses at most so long between two steps, in ms. */
  readonly paceMs: number;
  /** Numbers of the faults, in the order in which they are drawn, that do not happen. */
  readonly spared: readonly number[];
  /** Whether the end is judged after a recovery. A run that is only compared needs neither. */
  readonly isJudged: boolean;
}

export interface PlannedStep {
  readonly name: StepName;
  /** Its draws depend on this alone. */
  readonly id: number;
}

export const NO_LIFE_FAULTS: LifeFaults = { death: 0, skewMs: 0, unanswered: 0 };

/** Faults are rare in some runs and frequent in others, and each run has few kinds. */
function drawCallFaults(draws: Draws, most: number): CallFaults {
  const rate = most * draws.fraction() ** 2;
  const drawn = Object.keys(NO_FAULTS).map((kind) => [kind, draws.chance(0.4) ? rate : 0] as const);
  const { slow, ...others } = Object.fromEntries(drawn) as unknown as CallFaults;
  return { ...others, slow: Math.min(slow, 0.05) };
}

function drawLife(draws: Draws): LifeFaults {
  return {
    death: draws.chance(0.5) ? draws.between(0, 0.15) : 0,
    skewMs: draws.chance(0.5) ? draws.between(0, 800) : 0,
    unanswered: draws.chance(0.4) ? draws.between(0, 0.1) : 0,
  };
}

/** `size` scales the number of steps. */
export function planOf(seed: string, size = 1): Plan {
  const draws = seeded(`${seed}/plan`);
  const isCalm = draws.chance(0.1);
  const clients = 2 + draws.integer(4);
  const steps = Math.ceil((size * (18 + draws.integer(24))) / clients);
  return {
    seed,
    clients: Array.from({ length: clients }, (_, client) =>
      Array.from({ length: steps }, (__, step) => ({
        name: draws.pick(STEP_NAMES),
        id: client * 1_000 + step,
      })),
    ),
    faults: isCalm
      ? { dynamodb: NO_FAULTS, kms: NO_FAULTS, sqs: NO_FAULTS, lambda: NO_FAULTS }
      : {
          dynamodb: drawCallFaults(draws, 0.3),
          kms: drawCallFaults(draws, 0.5),
          sqs: drawCallFaults(draws, 0.9),
          lambda: drawCallFaults(draws, 0.5),
        },
    life: isCalm ? NO_LIFE_FAULTS : drawLife(draws),
    queues: {
      duplicate: isCalm ? 0 : 0.3 * draws.fraction(),
      delayMs: isCalm ? 0 : draws.pick([0, 2_000, 90_000]),
    },
    receivers: isCalm
      ? { refusal: 0, unanswered: 0 }
      : { refusal: 0.4 * draws.fraction(), unanswered: 0.3 * draws.fraction() },
    lagMs: draws.chance(0.7) ? draws.between(0, 1_500) : 0,
    paceMs: draws.pick([0, 200, 1_000, 5_000]),
    spared: [],
    isJudged: size >= 1,
  };
}
