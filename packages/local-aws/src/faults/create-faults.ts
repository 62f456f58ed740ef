import { setTimeout as machinePause } from 'node:timers/promises';
import { z } from 'zod';
import type { FunctionKills } from '../lambda/function-instance.ts';
import { callFaults, type CallFaults } from './call-faults.ts';
import { faultText, parseFault, type Fault } from './fault.ts';
import { functionKills } from './function-kills.ts';
import { seededRandom } from './seeded-random.ts';

/** The faults that the local account injects at the moment. */
export interface Faults {
  /** Faults of calls to the AWS endpoint. */
  readonly calls: CallFaults;
  /** Faults of the app's functions. */
  readonly kills: FunctionKills;
  /**
   * Replaces all faults; the random draws continue. Throws a FaultError and changes nothing if one
   * is invalid.
   */
  replace(texts: readonly string[]): void;
  /**
   * Handles `/_local/faults`: PUT replaces the list by a JSON list, DELETE empties it, and each
   * method returns it. Throws an Error for an invalid body.
   */
  control(body: string, method: string): readonly string[];
}

const listed = z.array(z.string(), { error: 'the body must be a JSON list of faults' });

function parseList(body: string): readonly string[] {
  try {
    return listed.parse(JSON.parse(body));
  } catch {
    throw new Error('the body must be a JSON list of faults such as ["dynamodb:throttle:0.3"]');
  }
}

/**
 * There is no fault until `replace` is called. The same seed draws the same numbers; the order of
 * the calls decides which calls they affect.
 */
export function createFaults(seed: number, pause: (ms: number) => Promise<unknown> = machinePause): Faults {
  let faults: readonly Fault[] = [];
  const random = seededRandom(seed);
  const current = (): readonly Fault[] => faults;

  function replace(texts: readonly string[]): void {
    faults = texts.map(parseFault);
  }

  return {
    calls: callFaults(current, random, pause),
    kills: functionKills(current, random),
    replace,
    control: (body, method) => {
      if (method === 'PUT') replace(parseList(body));
      if (method === 'DELETE') replace([]);
      return faults.map(faultText);
    },
  };
}
