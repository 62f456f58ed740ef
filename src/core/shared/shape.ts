/** The structure of a JSON value, in which objects of another type replace some of its leaves. */
export type Shape<Leaf> =
  | { readonly leaf: Leaf }
  | { readonly array: readonly Shape<Leaf>[] }
  | { readonly object: readonly (readonly [string, Shape<Leaf>])[] }
  | { readonly nothing: true };

/** Changes each leaf; the structure stays. */
export function mapShape<From, To>(node: Shape<From>, change: (leaf: From) => To): Shape<To> {
  if ('array' in node) return { array: node.array.map((element) => mapShape(element, change)) };
  if ('object' in node)
    return { object: node.object.map(([name, member]) => [name, mapShape(member, change)] as const) };
  return 'nothing' in node ? node : { leaf: change(node.leaf) };
}

export function leavesOf<Leaf>(node: Shape<Leaf>): readonly Leaf[] {
  if ('array' in node) return node.array.flatMap(leavesOf);
  if ('object' in node) return node.object.flatMap(([, member]) => leavesOf(member));
  return 'nothing' in node ? [] : [node.leaf];
}
