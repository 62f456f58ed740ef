import { tableNameOf, type Body } from '../requests.ts';

function requestItems({ RequestItems }: Body): Readonly<Record<string, unknown>> {
  return typeof RequestItems === 'object' && RequestItems !== null ? { ...RequestItems } : {};
}

/** A batch request with every table by its name, where the request may contain its ARN. */
export function namedTables(body: Body): Body {
  if (typeof body['RequestItems'] !== 'object') return body;
  const items = Object.entries(requestItems(body)).map(([name, request]) => [tableNameOf(name), request]);
  return { ...body, RequestItems: Object.fromEntries(items) };
}

/** Table names to the names in the request, which the response uses as well. */
export function requestedNames(body: Body): ReadonlyMap<string, string> {
  return new Map(Object.keys(requestItems(body)).map((name) => [tableNameOf(name), name]));
}
