import { z } from 'zod';
import { AwsError, type PolicyDocument } from '../../aws-service.ts';
import { policyDocument } from '../../iam/policy-document.ts';
import { validationFailure } from '../failures.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { parseWith, tableNameOf } from '../requests.ts';
import type { TablePolicies } from '../table-policies.ts';
import { aboutTable } from './describe-table.ts';

const tableArn = z
  .string()
  .refine((arn) => tableNameOf(arn) !== arn, 'must be the ARN of a table')
  .transform(tableNameOf);
const oneTable = z.strictObject({ ResourceArn: tableArn });
const newPolicy = z.strictObject({ ResourceArn: tableArn, Policy: z.string() });

function parsePolicy(text: string): PolicyDocument {
  try {
    return policyDocument.parse(JSON.parse(text));
  } catch {
    throw validationFailure('Invalid policy document');
  }
}

/**
 * PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy of tables. A change applies from
 * the next call on; on AWS it takes some seconds.
 */
export function resourcePolicyOperations(
  { tables }: OperationContext,
  policies: TablePolicies,
): Readonly<Record<string, Operation>> {
  const revision = (policy: { readonly revisionId: string } | undefined) =>
    policy === undefined ? {} : { RevisionId: policy.revisionId };

  return {
    PutResourcePolicy: (body) => {
      const { ResourceArn: name, Policy } = parseWith(newPolicy, body);
      const document = parsePolicy(Policy);
      return aboutTable(tables, 'PutResourcePolicy', name, async () =>
        revision(await policies.define(name, document)),
      );
    },
    GetResourcePolicy: (body) => {
      const { ResourceArn: name } = parseWith(oneTable, body);
      return aboutTable(tables, 'GetResourcePolicy', name, () => {
        const policy = tables.get(name).resourcePolicy;
        if (policy === undefined)
          throw new AwsError(
            'PolicyNotFoundException',
            400,
            `Resource-based policy not found for the provided ResourceArn: ${tables.arn(name)}`,
          );
        return { Policy: JSON.stringify(policy.document), ...revision(policy) };
      });
    },
    DeleteResourcePolicy: (body) => {
      const { ResourceArn: name } = parseWith(oneTable, body);
      return aboutTable(tables, 'DeleteResourcePolicy', name, async () => {
        const before = tables.get(name).resourcePolicy;
        await policies.define(name, undefined);
        return revision(before);
      });
    },
  };
}
