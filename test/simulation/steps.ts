import type { Client } from './client.ts';
import {
  createApplication,
  deleteApplication,
  regenerate,
  regrant,
  useApplication,
} from './steps/applications.ts';
import { cvc } from './steps/cards.ts';
import { readTrail, replaceRoot, rewrapRoots, rotateKeys } from './steps/operator.ts';
import { detokenize, get, getAsStranger, getExpired, getGone, list, search } from './steps/read-tokens.ts';
import { createWithKey, failUnderKey, updateWithKey, waitForLease } from './steps/repeat-requests.ts';
import { session } from './steps/sessions.ts';
import type { Step } from './steps/step.ts';
import { forward, react, reactLater, readResult } from './steps/use-tokens.ts';
import {
  create,
  createNamed,
  deduplicate,
  remove,
  tokenize,
  tokenizeMany,
  update,
  updateShared,
} from './steps/write-tokens.ts';

const wait: Step = async ({ world, draws }) => {
  await world.pause(draws.pick([100, 2_000, 10_000, 61_000]));
};

/** What a client does, by name; a name that stands more than once is done as often. */
const STEPS = {
  create,
  createWithKey,
  failUnderKey,
  waitForLease,
  update,
  updateWithKey,
  remove,
  get,
  getGone,
  getExpired,
  getAsStranger,
  detokenize,
  search,
  list,
  tokenize,
  tokenizeMany,
  deduplicate,
  createNamed,
  updateShared,
  session,
  createApplication,
  regrant,
  regenerate,
  deleteApplication,
  useApplication,
  cvc,
  forward,
  react,
  reactLater,
  readResult,
  readTrail,
  rotateKeys,
  replaceRoot,
  rewrapRoots,
  wait,
} as const satisfies Readonly<Record<string, Step>>;

export type StepName = keyof typeof STEPS;

const OFTEN: readonly StepName[] = [
  ...(['create', 'create', 'createWithKey', 'createWithKey', 'update', 'updateWithKey', 'remove'] as const),
  ...([
    'waitForLease',
    'waitForLease',
    'get',
    'createNamed',
    'deduplicate',
    'updateShared',
    'regrant',
    'createApplication',
  ] as const),
  ...(['reactLater', 'reactLater', 'react', 'forward'] as const),
];

/** The names to draw from, with their weights. */
export const STEP_NAMES: readonly StepName[] = [...(Object.keys(STEPS) as StepName[]), ...OFTEN];

export const takeStep = (client: Client, name: StepName): Promise<void> => STEPS[name](client);

/** Every step that needs no time of its own: a healthy service allows all of them at once. */
export const QUICK_STEPS = (Object.keys(STEPS) as readonly StepName[]).filter(
  (name) => !['wait', 'cvc', 'getExpired', 'replaceRoot', 'rewrapRoots', 'tokenizeMany'].includes(name),
);
