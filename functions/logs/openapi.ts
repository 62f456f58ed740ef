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
      'Newest first, without numbers of pages. A page may be short, or empty, while `after` is set: go on until `after` is `null`. Each request is recorded, this one too. A record never holds data.',
    query: z.object({
      token_id: text.meta({
        description:
          'Only records that name this token, but those in which it was shown masked or redacted beside other tokens.',
      }),
      application_id: text.meta({ description: 'Only requests of this application.' }),
      operation: text.meta({
        description: 'Only this operation, by its name in this document, as `getToken`.',
      }),
      outcome: z.enum(OUTCOMES).optional().meta({ description: 'Only records of this outcome.' }),
      from: time.meta({ description: 'ISO 8601; records of that instant or later.' }),
      to: time.meta({ description: 'ISO 8601, after `from`; records before that instant.' }),
      size: pageParameters.size,
      after: pageParameters.after,
    }),
    answer: { description: 'A page of records.', schema: pageOf(logRecord) },
  },
};
