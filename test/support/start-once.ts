// `node test/support/start-once.ts`: starts and stops the service of the end-to-end tests, which
// synthesizes and stores their app.
import { runService, TEST_SETTINGS } from './run-service.ts';

const service = await runService(TEST_SETTINGS);
process.exitCode = (await service.stop()) ?? 1;
