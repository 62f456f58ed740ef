// How much a run of the tests tries. `npm test` tries the same cases every time, so that it never
// fails by chance; `npm run test:thorough` tries thirty times as many, with new random draws.
import { seededRandom } from '../../local-aws/src/faults/seeded-random.ts';

/** Whether this run is `npm run test:thorough`. */
export const IS_THOROUGH = process.env['CLOAKROOM_TESTS'] === 'thorough';

/** The seed of all random draws in the tests: a whole number from 0 to 2^31 - 1. */
export const SEED = Number(process.env['CLOAKROOM_SEED'] ?? 1);

/**
 * Makes a function that returns a number from 0 to below 1: the same ones for the same seed. Each
 * test file makes its own, since the files of a worker share this module.
 */
export const randomOfFile = (): (() => number) => seededRandom(SEED);

const TIMES = 30;

/**
 * The number of cases of a property: `usual` in `npm test`, and thirty times as many in the
 * thorough run.
 */
export const cases = (usual: number): number => (IS_THOROUGH ? TIMES * usual : usual);
