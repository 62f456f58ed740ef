import LongestFirst from '../../support/longest-first.js';

interface Test {
  readonly path: string;
  readonly context: { readonly config: { readonly displayName: { readonly name: string } } };
}

const tests: readonly Test[] = ['test/tools/test', 'test/support'].flatMap((folder) =>
  ['unit', 'service'].map((name) => ({ path: folder, context: { config: { displayName: { name } } } })),
);

describe('jest --shard', () => {
  it('gives each machine other tests, of each kind, and leaves none out', () => {
    const order = new LongestFirst();
    const shards = [1, 2].map((shardIndex) => order.shard(tests, { shardIndex, shardCount: 2 }));
    expect(new Set(shards.flat())).toEqual(new Set(tests));
    expect(shards.map(({ length }) => length)).toEqual([2, 2]);
    for (const shard of shards)
      expect(shard.map(({ context }) => context.config.displayName.name)).toEqual(['service', 'unit']);
  });
});
