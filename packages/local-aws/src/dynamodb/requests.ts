import { z } from 'zod';
import { dynaliteValidations } from './dynalite.ts';
import { AwsError, type AwsCall } from '../aws-service.ts';
import type { ParsedExpression, Rules, ValidRequest } from './dynalite-types.ts';
import { notImplemented, toFailure, validationFailure } from './failures.ts';
import { MAX_ITEM_BYTES } from './item-size.ts';

/** The JSON object of a request, before anything is known about its members. */
export type Body = Readonly<Record<string, unknown>>;

const MAX_EXPRESSION_BYTES = 4096;
const jsonObject = z.record(z.string(), z.unknown());

/** Throws AwsError SerializationException for a body that is no JSON object. */
export function parseBody(call: AwsCall): Body {
  try {
    return jsonObject.parse(JSON.parse(call.body.toString('utf8')));
  } catch {
    throw new AwsError('SerializationException', 400, 'The request is not a JSON object.');
  }
}

/** The name of a table that may be given as its ARN. */
export function tableNameOf(nameOrArn: string): string {
  return /^arn:[^:]*:dynamodb:[^:]*:[^:]*:table\/([^/]+)$/.exec(nameOrArn)?.[1] ?? nameOrArn;
}

/**
 * Parses what dynalite has no validation for. Throws AwsError ValidationException naming the
 * member.
 */
export function parseWith<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw validationFailure(`1 validation error detected: ${z.prettifyError(parsed.error)}`);
}

function requireShortExpressions(body: Body): void {
  for (const [name, value] of Object.entries(body)) {
    if (!name.endsWith('Expression') || typeof value !== 'string') continue;
    const size = Buffer.byteLength(value);
    if (size <= MAX_EXPRESSION_BYTES) continue;
    throw validationFailure(
      `Invalid ${name}: Expression size has exceeded the maximum allowed size; expression size: ${String(size)}`,
    );
  }
}

function isExpression(arg: ParsedExpression | readonly (string | number)[]): arg is ParsedExpression {
  return !Array.isArray(arg);
}

/**
 * dynalite compares lists and maps by identity, so such a comparison would always be wrong: it is
 * refused.
 */
function refuseDocumentComparison({ type = '', args = [] }: ParsedExpression): void {
  const literals = args.filter(isExpression);
  const compares = type === '=' || type === '<>' || type === 'in';
  if (compares && literals.some(({ L, M }) => L !== undefined || M !== undefined)) {
    throw notImplemented('comparing a list or map with =, <> or IN');
  }
  literals.forEach(refuseDocumentComparison);
}

/**
 * Checks a request with dynalite's validation of its action, and parses its expressions into the
 * members that begin with `_`. Throws AwsError as DynamoDB would.
 */
export function validated<Request>(rules: Rules<Request>, body: Body): Request {
  requireShortExpressions(body);
  try {
    const data = dynaliteValidations.checkTypes(
      typeof body['TableName'] === 'string'
        ? { ...body, TableName: tableNameOf(body['TableName']) }
        : { ...body },
      rules.types,
    ) as Request & Pick<ValidRequest, '_condition' | '_filter'>;
    dynaliteValidations.checkValidations(data, rules.types, rules.custom, {
      options: { maxItemSize: MAX_ITEM_BYTES },
    });
    for (const parsed of [data._condition, data._filter]) {
      if (parsed !== undefined) refuseDocumentComparison(parsed.expression);
    }
    return data;
  } catch (error) {
    throw toFailure(error);
  }
}

const returnOnFailure = z.object({
  ReturnValuesOnConditionCheckFailure: z.enum(['ALL_OLD', 'NONE']).optional(),
});

/**
 * Whether a failed condition must answer with the item as it was: a member that dynalite does not
 * know.
 */
export function returnsOldItem(body: Body): boolean {
  return parseWith(returnOnFailure, body).ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
}
