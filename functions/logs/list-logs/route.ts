import { listRecords } from '../../../src/core/trail/list-records.ts';
import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { LogsDeps } from '../dependencies.ts';
import { listLogsQuery, presentRecord } from '../../../src/wire/log-record.ts';
import { presentPage } from '../../../src/wire/page.ts';

export const operation: Route<LogsDeps> = route({
  operation: 'listLogs',
  method: 'GET',
  path: '/logs',
  permission: 'log:read',
  success: 200,
  query: listLogsQuery,
  handle: async (deps, { caller, query: { filters, page } }) => {
    const { tokenId } = filters;
    if (tokenId !== undefined && isUuid(tokenId)) deps.audit.about(`token:${tokenId}`);
    return { body: presentPage(await listRecords(deps, caller, filters, page), presentRecord) };
  },
});
