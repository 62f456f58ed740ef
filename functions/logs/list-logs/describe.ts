import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { listLogsParameters, logRecord } from '../../../src/wire/log-record.ts';
import { pageOf } from '../../../src/wire/page.ts';

export const description: OperationDescription = {
  sdk: 'logs.list',
  recorded: { by: 'management', query: '?token_id={token}&size=2' },
  does: 'Lists the [audit trail](contract.md#audit-trail): by `token_id`, `form`, `application_id`, `proxy_id`, `operation`, `outcome`, `from`, `to`, `size`, `after`',
  tag: 'Logs',
  summary: 'List records of the audit trail',
  description:
    'Newest first, without page numbers. A page may be short or empty while `after` is set: continue until `after` is `null`. Every request is recorded, including this one. A record never contains data.',
  query: listLogsParameters(),
  response: { description: 'A page of records.', schema: pageOf(logRecord()) },
};
