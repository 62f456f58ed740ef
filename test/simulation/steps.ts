import type { Client } from './client.ts';
import type { Draws } from './seeded.ts';
import {
  createApplication,
  deleteApplication,
  regenerate,
  regrant,
  useApplication,
} from './steps/applications.ts';
import { cvc } from './steps/cards.ts';
import { configure } from './steps/configuration.ts';
import { explain } from './steps/explain.ts';
import { bindKey, endKey, rotateKey } from './steps/keys.ts';
import { inspect, readTrail, replaceRoot, rewrapRoots, rotateKeys } from './steps/operator.ts';
import {
  callProxy,
  changeProxy,
  changeProxyAtOnce,
  createProxy,
  deleteProxy,
  failTransform,
  outliveVersions,
  revertProxy,
  rotateProxyKey,
} from './steps/proxies.ts';
import { detokenize, get, getAsStranger, getExpired, getGone, list, search } from './steps/read-tokens.ts';
import { createWithKey, failUnderKey, updateWithKey, waitForLease } from './steps/repeat-requests.ts';
import { session } from './steps/sessions.ts';
import type { Step } from './steps/step.ts';
import { changeTenant } from './steps/tenants.ts';
import { forward, react, reactLater, readResult, resend } from './steps/use-tokens.ts';
import {
  changeLarge,
  changeParts,
  create,
  createNamed,
  deduplicate,
  deduplicateAgain,
  remove,
  tokenize,
  tokenizeMany,
  update,
  updateShared,
} from './steps/write-tokens.ts';

const wait: Step = async ({ world, draws }) => {
  await world.pause(draws.pick([100, 2_000, 10_000, 61_000]));
};

/** A client does these, by name; a name that stands more than once is done as often. */
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
  changeLarge,
  changeParts,
  deduplicate,
  deduplicateAgain,
  createNamed,
  updateShared,
  session,
  createApplication,
  regrant,
  regenerate,
  rotateKey,
  endKey,
  bindKey,
  deleteApplication,
  useApplication,
  configure,
  cvc,
  forward,
  react,
  reactLater,
  readResult,
  resend,
  createProxy,
  changeProxy,
  changeProxyAtOnce,
  outliveVersions,
  revertProxy,
  rotateProxyKey,
  callProxy,
  failTransform,
  deleteProxy,
  explain,
  changeTenant,
  readTrail,
  rotateKeys,
  replaceRoot,
  rewrapRoots,
  inspect,
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
    'configure',
    'rotateKey',
  ] as const),
  ...(['reactLater', 'reactLater', 'reactLater', 'react', 'forward'] as const),
  'changeProxyAtOnce',
];

/** The names to draw from, with their weights. */
export const STEP_NAMES: readonly StepName[] = [...(Object.keys(STEPS) as StepName[]), ...OFTEN];

export const takeStep = (client: Client, name: StepName): Promise<void> => STEPS[name](client);

/** Steps that need time of their own, or many calls. */
const SLOW: readonly StepName[] = [
  ...(['wait', 'cvc', 'getExpired', 'endKey', 'replaceRoot', 'rewrapRoots'] as const),
  ...(['tokenizeMany', 'changeLarge', 'changeParts', 'outliveVersions'] as const),
];

const ALL = Object.keys(STEPS) as readonly StepName[];

/** A healthy service allows all of them at once. */
export const QUICK_STEPS = ALL.filter((name) => !SLOW.includes(name));

/** Some names, each once, in the order in which a step finds what those before it have made. */
export function someSteps(draws: Draws, count: number): readonly StepName[] {
  const left = ALL.filter((name) => name !== 'wait');
  const drawn = Array.from({ length: count }, () => left.splice(draws.integer(left.length), 1)).flat();
  return drawn.toSorted((a, b) => ALL.indexOf(a) - ALL.indexOf(b));
}
