import { COMMANDS } from '../../../functions/operator/command-names.ts';
import { routes as applications } from '../../../functions/applications/routes.ts';
import { routes as logs } from '../../../functions/logs/routes.ts';
import { routes as proxy } from '../../../functions/proxy/routes.ts';
import { routes as proxies } from '../../../functions/proxies/routes.ts';
import { routes as reactors } from '../../../functions/reactors/routes.ts';
import { routes as tokens } from '../../../functions/tokens/routes.ts';
import { OPERATION_NAMES } from '../../../src/core/audit/operation-names.ts';

it('a record can name exactly the operations of the API, the work behind them, and the commands', () => {
  const ofRoutes = [applications, logs, proxies, proxy, reactors, tokens].flatMap((routes) =>
    routes.map(({ operation }) => operation),
  );
  const all = [...ofRoutes, 'runInvocation', 'deliverResult', ...Object.keys(COMMANDS)];
  expect(new Set(OPERATION_NAMES)).toEqual(new Set(all));
  expect(OPERATION_NAMES).toHaveLength(new Set(all).size);
});
