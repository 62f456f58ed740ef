import { statSync } from 'node:fs';

/**
 * The projects with the longest suites start first: otherwise the run would wait for them at the
 * end.
 */
const ORDER = ['faults', 'own-service', 'processes', 'browser', 'service', 'memory', 'unit'];

/** Jest test sequencer: the same order in every run, by the project and the size of the file. */
export default class LongestFirst {
  sort(tests) {
    const rank = ({ context, path }) => [
      ORDER.indexOf(context.config.displayName?.name),
      -statSync(path).size,
    ];
    const ranked = tests.map((test) => ({ test, rank: rank(test) }));
    ranked.sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1]);
    return ranked.map(({ test }) => test);
  }

  /** Every machine gets tests of each kind: `jest --shard 1/2`. */
  shard(tests, { shardIndex, shardCount }) {
    return this.sort(tests).filter((_, rank) => rank % shardCount === shardIndex - 1);
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {
    // The order does not depend on earlier runs.
  }
}
