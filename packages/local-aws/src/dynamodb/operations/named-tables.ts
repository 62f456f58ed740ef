import { tableNameOf, type Body } from '../requests.ts';

function requestItems({ RequestItems }: Body): Readonly<Record<string, unknown>> {
  return typeof RequestItems === 'object' && RequestItems !== null ? { ...RequestItems } : {};
}

/** A batch request with every table by its name, where the caller may have given its ARN. */
export function namedTables(body: Body): Body {
  if (typeof body['RequestItems'] !== 'object') return body;
  const items = Object.entries(requestItems(body)).map(([given, request]) => [tableNameOf(given), request]);
  return { ...body, RequestItems: Object.fromEntries(items) };
}

/** Table names to what the caller called them: answers are filed under the same. */
export function givenNames(body: Body): ReadonlyMap<string, string> {
  return new Map(Object.keys(requestItems(body)).map((given) => [tableNameOf(given), given]));
}
