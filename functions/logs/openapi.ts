import { z } from 'zod';
import { OUTCOMES } from '../../src/core/audit/audit-record.ts';
import type { DescribedOperation } from '../../src/http/openapi/operation.ts';
import { logRecord, pageOf, pageParameters } from '../../src/http/openapi/schemas.ts';

const text = z.string().min(1).optional();
const time = z.string().optional();

export const logs: Readonly<Record<string, DescribedOperation>> = {
  listLogs: {
    tag: 'Logs',
    summary: 'List records of the audit trail',
    description:
      'Newest first, without page numbers. A page may be short or empty while `after` is set: continue until `after` is `null`. Every request is recorded, including this one. A record never contains data.',
    query: z.object({
      token_id: text.meta({
        description: 'Only records that name this token, in whatever form.',
      }),
      application_id: text.meta({ description: 'Only requests of this application.' }),
      operation: text.meta({
        description:
          'Only this operation, by its name in this document, such as `getToken`; `proxy` for all of the proxy.',
      }),
      outcome: z.enum(OUTCOMES).optional().meta({ description: 'Only records with this outcome.' }),
      from: time.meta({ description: 'ISO 8601; only records from this time on.' }),
      to: time.meta({ description: 'ISO 8601, after `from`; only records before this time.' }),
      size: pageParameters.size,
      after: pageParameters.after,
    }),
    response: { description: 'A page of records.', schema: pageOf(logRecord) },
  },
};
