/**
 * The limits of the service's budgets: `npm run bench` measures all of them, and tests check those
 * that are counts.
 */
export const BUDGETS = {
  /** Times the processor time of raw AES-256-GCM, of a card. */
  encryption: { encrypt: 3, decrypt: 3.5 },
  /** Times the start and the first response of the handler by hand. */
  coldStart: 1.08,
  /**
   * Times the processor time of the handler by hand (tools/bench/warm/reference.ts) that writes an
   * audit record of the same size.
   */
  warmCpu: {
    get: 0.95,
    'create a card': 1.1,
    'list of 20 by cursor': 0.95,
    PATCH: 1.1,
    'detokenize 100': 1,
    'proxy of 1 KB': 1.05,
    'proxy of 1 MB': 1.1,
    'proxy of 1 MB, many members': 1.15,
    react: 1.1,
  },
  /** Times that of the same handler without a record. */
  warmCpuWithoutRecord: { get: 1.25, 'create a card': 1.45, 'proxy of 1 KB': 1.4 },
  /** Calls to AWS of a request to a warm instance, the one of its audit record included. */
  warmCalls: { 'get a card': 2, 'create a card': 3, 'PATCH a card': 3, 'delete a card': 4 },
  /** The longest chain of calls of the first request to an instance, the audit trail included. */
  coldCallsInSequence: { 'get a card': 4, 'create a card': 5, 'PATCH a card': 5, 'list 20 by cursor': 6 },
  /**
   * One record needs so many calls of the trail. The first request of a minute also writes a mark.
   */
  auditCalls: { warm: 1, cold: 2 },
  /**
   * US dollars of a million requests, with what the sealer and the check do about their records for
   * a tenant with 1,000 requests a minute.
   */
  dollars: { 'get a card': 2.95, 'create a card': 6.9, 'detokenize 100': 20, 'list 20 by cursor': 6.5 },
  /** One record needs so many units of the trail. */
  auditWriteUnits: 1,
  kmsCalls: { warm: 0, cold: 1 },
  /**
   * A transaction writes the token and the entry of its last four digits, 2 units each. The copies
   * in the indexes `list` and `fingerprint` follow (docs/decisions/0074).
   */
  cardWriteUnits: 6,
  /** Calls and units of the storage at the last number of each are those at the first. */
  growth: {
    tokens: [1_000, 10_000, 100_000],
    records: [10_000, 100_000, 1_000_000],
    /** As few as fill a page of a list, and as many proxies as a tenant may have, but one. */
    objects: [
      { tenants: 100, proxies: 100, reactors: 100 },
      { tenants: 10_000, proxies: 499, reactors: 5_000 },
    ],
  },
  /** Read units of a page of the audit trail under filters that match nothing: 8,000 records. */
  filteredTrailUnits: 450,
  /** No item gets more than this share of the reads that the requests of one API key need. */
  hotItem: { requests: 800, instances: 4, share: 1 / 4 },
  /** A run over a backlog completes each kind, or gives it at least this share of its removals. */
  sweep: { recordsAMinute: 20_000, share: 0.1 },
  /** Applies to any request. Memory is the excess over the idle function. */
  request: { cpuSeconds: 1, peakBytes: 300_000_000 },
} as const;
