import { COMMANDS } from '../../../src/operator/command-names.ts';
import { OPERATION_NAMES } from '../../../src/core/audit/operation-names.ts';
import { allRoutes } from '../../../tools/openapi/all-routes.ts';
import { OPERATIONS } from '../../../tools/openapi/operations.ts';

it('a record can name exactly the operations of the API, the work behind them, and the commands', () => {
  const ofRoutes = allRoutes().map(({ operation }) => operation);
  const all = [...ofRoutes, 'runInvocation', 'deliverResult', ...Object.keys(COMMANDS)];
  expect(new Set(OPERATION_NAMES)).toEqual(new Set(all));
  expect(OPERATION_NAMES).toHaveLength(new Set(all).size);
});

it('every operation has a folder with its name, and every folder an operation', () => {
  const ofRoutes = allRoutes().map(({ operation }) => operation);
  expect(new Set(Object.keys(OPERATIONS))).toEqual(new Set(ofRoutes));
});
