import { applications } from '../../functions/applications/openapi.ts';
import { logs } from '../../functions/logs/openapi.ts';
import { proxies } from '../../functions/proxies/openapi.ts';
import { proxy } from '../../functions/proxy/openapi.ts';
import { reactors } from '../../functions/reactors/openapi.ts';
import { tokens } from '../../functions/tokens/openapi.ts';
import type { DescribedOperation } from '../../src/wire/described-operation.ts';

/** The description of each operation, by its name in the route tables. */
export const OPERATIONS: Readonly<Record<string, DescribedOperation>> = {
  ...tokens,
  ...proxy,
  ...applications,
  ...proxies,
  ...reactors,
  ...logs,
};
