interface RankedTest {
  readonly path: string;
  readonly context: { readonly config: { readonly displayName?: { readonly name: string } } };
}

/** Jest's order of test files, which jest itself loads as JavaScript. */
export default class LongestFirst {
  sort<T extends RankedTest>(tests: readonly T[]): readonly T[];
  shard<T extends RankedTest>(
    tests: readonly T[],
    options: { readonly shardIndex: number; readonly shardCount: number },
  ): readonly T[];
}
