import { randomUUID } from 'node:crypto';
import type { PolicyDocument, ResourcePolicy } from '../aws-service.ts';
import { sameJson } from './item.ts';
import type { TablePolicy } from './table.ts';
import type { Tables } from './tables.ts';

export interface TablePolicies {
  /** The policy that decides an access to a table or one of its indexes. */
  of(arn: string): ResourcePolicy | undefined;
  /** Sets or removes a policy. An unchanged policy keeps its revision. */
  define(tableName: string, document: PolicyDocument | undefined): Promise<TablePolicy | undefined>;
}

const tableOrIndex = /^arn:[^:]*:dynamodb:[^:]*:[^:]*:table\/(?<name>[^/]+)(?:\/index\/.*)?$/;

export function createTablePolicies(tables: Tables): TablePolicies {
  return {
    of: (arn) => {
      const { name = '' } = tableOrIndex.exec(arn)?.groups ?? {};
      const policy = tables.find(name)?.resourcePolicy;
      return policy && { document: policy.document, isRequired: false };
    },
    define: async (tableName, document) => {
      const before = tables.get(tableName).resourcePolicy;
      if (sameJson(before?.document, document)) return before;
      const after = document && { document, revisionId: randomUUID() };
      await tables.change(tableName, { resourcePolicy: after });
      return after;
    },
  };
}
