// `node compile-functions.ts CDK_OUT COMPILE_CACHE`: loads the code of every function of a
// synthesized app once, without an invocation, so that Node's compile cache contains it.
import { readAssembly } from './assembly/read-assembly.ts';
import { startResources } from './assembly/start-resources.ts';
import { createParts, REGION, ACCOUNT_ID } from './cloud.ts';
import { createClock } from './clock.ts';
import { createCloudWatch } from './cloudwatch/create-cloudwatch.ts';
import { createFunctionActivity } from './cloudwatch/function-activity.ts';
import { createFaults } from './faults/create-faults.ts';
import { createLogPrinter } from './account-logs.ts';

const [DIRECTORY = '', COMPILE_CACHE = ''] = process.argv.slice(2);
/** No function makes a call while it loads: it has no event yet. */
const NO_ADDRESS = 'http://127.0.0.1:9';
const account = {
  accountId: ACCOUNT_ID,
  region: REGION,
  baseUrl: NO_ADDRESS,
  awsEndpointUrl: NO_ADDRESS,
};
const assembly = await readAssembly(DIRECTORY);
const clock = createClock();
const cloudWatch = createCloudWatch();
const parts = createParts(
  {
    account,
    logs: createLogPrinter(() => undefined),
    faults: createFaults(1),
    clock,
    cloudWatch,
    activity: createFunctionActivity(cloudWatch, () => clock.now()),
  },
  { createTable: () => Promise.resolve() },
  assembly.assets,
  COMPILE_CACHE,
);
await startResources(assembly, account, parts);
parts.functions.start(NO_ADDRESS);
await parts.functions.load();
await parts.functions.close();
