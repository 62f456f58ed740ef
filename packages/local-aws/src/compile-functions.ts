// `node compile-functions.ts CDK_OUT COMPILE_CACHE`: loads the code of every function of a
// synthesized app once, without an invocation, so that Node's compile cache contains it.
import { createLogPrinter } from './account-logs.ts';
import { placeOf, readAssembly } from './assembly/read-assembly.ts';
import { startResources } from './assembly/start-resources.ts';
import { createClock } from './clock.ts';
import { createFaults } from './faults/create-faults.ts';
import { createServices } from './services.ts';
import { createStorageFailure } from './storage-failure.ts';

const [DIRECTORY = '', COMPILE_CACHE = ''] = process.argv.slice(2);
/** No function makes a call while it loads: it has no event yet. */
const NO_ADDRESS = 'http://127.0.0.1:9';
const assembly = await readAssembly(DIRECTORY);
const account = {
  ...placeOf(assembly.stacks),
  baseUrl: NO_ADDRESS,
  awsEndpointUrl: NO_ADDRESS,
  storageFailure: createStorageFailure('memory', () => undefined),
  clock: createClock(),
  logs: createLogPrinter(() => undefined),
  onClose: () => undefined,
};
const services = createServices(account, { kills: createFaults(1).kills });
startResources(assembly, account, services.all);
services.functions.start(NO_ADDRESS, COMPILE_CACHE);
await services.functions.load();
await services.functions.close();
