import { readFileSync } from 'node:fs';

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
}

/**
 * The source file of each line of an unminified bundle: esbuild writes its name before its code.
 */
function sourcesOf(bundle: string): readonly string[] {
  let source = '(bundle)';
  return readFileSync(bundle, 'utf8')
    .split('\n')
    .map((line) => (source = /^\/\/ ([^ ]+\.[cm]?[jt]s)$/.exec(line)?.[1] ?? source));
}

/** `node_modules/@aws-sdk/core/dist-es/x.js` as its package, the project's own code by file. */
const ownerOf = (source: string): string => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? source;

/**
 * The owners of a profile's time, in percent of the time that was not idle. Node's own work counts
 * for the nearest file of the bundle in the stack.
 */
export function owners(
  file: string,
  bundle: string,
): readonly { readonly name: string; readonly share: number }[] {
  const { nodes, samples } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const sources = sourcesOf(bundle);
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  /** Finds the nearest frame of the bundle, and returns its owner. */
  function nearest(sample: number): string | undefined {
    for (let at: number | undefined = sample; at !== undefined; at = parents.get(at)) {
      const { url = '', lineNumber = 0 } = frames.get(at) ?? {};
      if (url.endsWith('index.cjs')) return ownerOf(sources[lineNumber] ?? '?');
    }
    return undefined;
  }
  const shares = new Map<string, number>();
  let busy = 0;
  for (const sample of samples) {
    const name = frames.get(sample)?.functionName ?? '';
    if (name === '(idle)') continue;
    busy += 1;
    const owner = name === '(garbage collector)' ? name : (nearest(sample) ?? '(node)');
    shares.set(owner, (shares.get(owner) ?? 0) + 1);
  }
  return [...shares]
    .map(([name, count]) => ({ name, share: (100 * count) / busy }))
    .toSorted((a, b) => b.share - a.share);
}
