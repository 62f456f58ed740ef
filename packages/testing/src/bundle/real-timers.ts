/*
 * Read when the package is loaded, and injected into the bundle (tools/build-testing.ts): a test
 * with fake timers replaces the globals, and its vault must go on.
 */
import { setImmediate } from 'node:timers';

/** Takes the place of `process.nextTick`, by which DataLoader waits for all reads of a turn. */
export const nextTick = (then: () => void): void => void setImmediate(then);
