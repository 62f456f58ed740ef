import { BUDGETS } from '../budgets.ts';
import { effort } from '../effort.ts';
import { repeatedNear, type Runs } from '../near-limit.ts';
import { startScenarios, type Scenario } from '../warm/scenarios.ts';
import type { FunctionName } from './bundles.ts';
import { compared, measureColdStarts, type Compared } from './measure-cold-start.ts';

/** A request to a new instance, measured from the start of its process to its response. */
export interface FirstRequest {
  readonly operation: Scenario['name'];
  readonly folder: FunctionName;
  readonly runs: Runs<Compared>;
}

export const FIRST_REQUEST_ROUNDS = effort(15, 1);
const OPERATIONS: readonly (readonly [Scenario['name'], FunctionName])[] = [
  ['get', 'tokens'],
  ['create a card', 'tokens'],
  ['PATCH', 'tokens'],
  ['list of 20 by cursor', 'tokens'],
  ['proxy of 1 KB', 'proxy'],
  ['react', 'reactors'],
];
const WANTED = OPERATIONS.slice(0, effort(OPERATIONS.length, 1));

/** Functions and handlers by hand alternate, against a running local service. */
export async function measureFirstRequests() {
  const started = await startScenarios();
  try {
    const firstRequests: FirstRequest[] = [];
    for (const [operation, folder] of WANTED) {
      const scenario = started.scenarios.find(({ name }) => name === operation);
      if (scenario === undefined) throw new Error(`there is no scenario "${operation}"`);
      const { ours, withRecord: reference, events, status } = scenario;
      const request = { event: () => events(1)[0], status };
      const sides = Object.entries({ ours, reference });
      const loaded = sides.map(([name, { bundle, env }]) => ({ name, file: bundle, env, request }));
      const measure = async () => {
        const startOf = await measureColdStarts(loaded, FIRST_REQUEST_ROUNDS);
        return compared(startOf('ours'), startOf('reference'));
      };
      const runs = await repeatedNear(BUDGETS.coldStart, await measure(), measure);
      firstRequests.push({ operation, folder, runs });
    }
    return { firstRequests, environments: started.environments };
  } finally {
    await started.stop();
  }
}
