import { z } from 'zod';
import { callFaults, type CallFaults } from './call-faults.ts';
import { faultText, parseFault, type Fault } from './fault.ts';
import { functionKills, type FunctionKills } from './function-kills.ts';
import { seededRandom } from './seeded-random.ts';

/** The faults that the local cloud injects at the moment. */
export interface Faults {
  /** What happens to calls of the AWS endpoint. */
  readonly calls: CallFaults;
  /** What happens to functions of the app. */
  readonly kills: FunctionKills;
  /**
   * Replaces all faults; the draws go on. Throws a FaultError and changes nothing if one cannot be.
   */
  replace(texts: readonly string[]): void;
  /**
   * Answers `/_local/faults`: PUT replaces the list by a JSON list, DELETE empties it, and each
   * tells it. Throws an Error for a wrong body.
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
 * Without a fault until `replace` is called. The same seed draws the same numbers; what they meet
 * depends on the order of the calls.
 */
export function createFaults(seed: number): Faults {
  let faults: readonly Fault[] = [];
  const random = seededRandom(seed);
  const current = (): readonly Fault[] => faults;

  function replace(texts: readonly string[]): void {
    faults = texts.map(parseFault);
  }

  return {
    calls: callFaults(current, random),
    kills: functionKills(current, random),
    replace,
    control: (body, method) => {
      if (method === 'PUT') replace(parseList(body));
      if (method === 'DELETE') replace([]);
      return faults.map(faultText);
    },
  };
}
