import { readFileSync } from 'node:fs';

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
}

/**
 * Sorts the functions of a profile by their own time, and by the time of everything that they
 * called, in percent.
 */
export function top(
  file: string,
  count: number,
): readonly { readonly name: string; readonly own: number; readonly total: number }[] {
  const { nodes, samples } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const nameOf = (id: number) => {
    const { functionName, url, lineNumber } = byId.get(id)?.callFrame ?? {
      functionName: '',
      url: '',
      lineNumber: 0,
    };
    const where = url.startsWith('node:') ? url : url === '' ? 'native' : `bundle:${String(lineNumber)}`;
    return `${functionName === '' ? '(anonymous)' : functionName} ${where}`;
  };
  const own = new Map<string, number>();
  const total = new Map<string, number>();
  const add = (map: Map<string, number>, name: string) =>
    map.set(name, (map.get(name) ?? 0) + 100 / samples.length);
  for (const sample of samples) {
    add(own, nameOf(sample));
    const seen = new Set<string>();
    for (let at: number | undefined = sample; at !== undefined; at = parents.get(at)) seen.add(nameOf(at));
    for (const name of seen) add(total, name);
  }
  return [...total]
    .map(([name, share]) => ({ name, own: own.get(name) ?? 0, total: share }))
    .toSorted((a, b) => b.total - a.total)
    .slice(0, count);
}
