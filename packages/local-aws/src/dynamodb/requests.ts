import { z } from 'zod';
import { dynaliteValidations } from './dynalite.ts';
import { AwsError, type AwsCall } from '../aws-service.ts';
import type { Rules, ValidRequest } from './dynalite-types.ts';
import { removalsLast, requireShortExpressions, requireSupported } from './expressions.ts';
import { toFailure, validationFailure } from './failures.ts';
import { MAX_ITEM_BYTES } from './item-size.ts';

/** The JSON object of a request, before its members are checked. */
export type Body = Readonly<Record<string, unknown>>;

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Throws AwsError SerializationException for a body that is no JSON object. */
export function parseBody(call: AwsCall): Body {
  const json = jsonOf(call.body);
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Body;
  throw new AwsError('SerializationException', 400, 'The request is not a JSON object.');
}

/** The name of a table from a name or an ARN. */
export function tableNameOf(nameOrArn: string): string {
  return /^arn:[^:]*:dynamodb:[^:]*:[^:]*:table\/([^/]+)$/.exec(nameOrArn)?.[1] ?? nameOrArn;
}

/**
 * Parses requests for which dynalite has no validation. Throws AwsError ValidationException naming
 * the member.
 */
export function parseWith<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw validationFailure(`1 validation error detected: ${z.prettifyError(parsed.error)}`);
}

/**
 * Checks a request with dynalite's validation of its action, and parses its expressions into the
 * members that begin with `_`. Throws AwsError as DynamoDB would.
 */
export function validated<Request>(
  rules: Rules<Request>,
  body: Body,
  maxItemSize: number = MAX_ITEM_BYTES,
): Request {
  requireShortExpressions(body);
  try {
    const data = dynaliteValidations.checkTypes(
      typeof body['TableName'] === 'string'
        ? { ...body, TableName: tableNameOf(body['TableName']) }
        : { ...body },
      rules.types,
    ) as Request & Pick<ValidRequest, '_condition' | '_filter' | '_updates'>;
    dynaliteValidations.checkValidations(data, rules.types, rules.custom, {
      options: { maxItemSize },
    });
    if (data._condition !== undefined) requireSupported('ConditionExpression', data._condition.expression);
    if (data._filter !== undefined) requireSupported('FilterExpression', data._filter.expression);
    if (data._updates !== undefined) data._updates.sections = removalsLast(data._updates.sections);
    return data;
  } catch (error) {
    throw toFailure(error);
  }
}

const returnOnFailure = z.object({
  ReturnValuesOnConditionCheckFailure: z.enum(['ALL_OLD', 'NONE']).optional(),
});

/**
 * Whether a failed condition must return the existing item: a member that dynalite does not know.
 */
export function returnsOldItem(body: Body): boolean {
  return parseWith(returnOnFailure, body).ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
}
