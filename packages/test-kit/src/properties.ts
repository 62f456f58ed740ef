// Properties draw from the seed of the run: the one way to fast-check for tests.
import fc from 'fast-check';
import { SEED, cases } from './thoroughness.ts';

fc.configureGlobal({ seed: SEED, numRuns: cases(100), includeErrorInReport: true });

export { cases, fc };
