import type { ValidRequest } from '../dynalite-types.ts';
import { validationFailure } from '../failures.ts';
import { projectedNames } from '../index-entry.ts';
import type { Body } from '../requests.ts';
import type { TableDescription } from '../table.ts';

/**
 * The rules of `Select` that dynalite does not check. Throws AwsError ValidationException.
 * (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html)
 */
export function requireSelect(
  { IndexName, _projection }: ValidRequest,
  { Select, AttributesToGet }: Body,
): void {
  const chosen = _projection !== undefined || AttributesToGet !== undefined;
  if (Select === 'SPECIFIC_ATTRIBUTES' && !chosen)
    throw validationFailure(
      'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES',
    );
  if (Select === 'COUNT' && chosen)
    throw validationFailure('Cannot specify the ProjectionExpression when choosing to get only the Count');
  if (Select === 'ALL_PROJECTED_ATTRIBUTES' && IndexName === undefined)
    throw validationFailure('ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName');
}

/** An index contains only projected attributes. Throws AwsError ValidationException. */
export function requireProjected(request: ValidRequest, table: TableDescription): void {
  const index = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === request.IndexName);
  const projected = index && projectedNames(index, table);
  if (projected === undefined) return;
  const absent = (names: readonly string[]): string =>
    [...new Set(names)].filter((name) => !projected.has(name)).join(', ');
  const read = absent((request._projection?.paths ?? []).map(([name]) => String(name)));
  const invalid = 'One or more parameter values were invalid:';
  const name = request.IndexName ?? '';
  if (read !== '')
    throw validationFailure(`${invalid} Global secondary index ${name} does not project [${read}]`);
  const filtered = absent(Object.keys(request._filter?.pathHeads ?? {}));
  if (filtered !== '')
    throw validationFailure(
      `${invalid} Secondary index ${name} does not project one or more filter attributes: [${filtered}]`,
    );
}
