/**
 * Answers a payload that the service sends to the function of a reactor
 * (docs/reactors.md#the-runtime).
 */
export interface CalledRuntime {
  /** The hash of its code, which waits for `req.args.waitMs` and returns `{ raw: req.args }`. */
  readonly codeHash: string;
  readonly invoke: (payload: object) => Promise<unknown>;
}

/** The contract that the runtime itself and the model of the simulation fulfil. */
export function runtimeContract(
  name: string,
  use: (test: (runtime: CalledRuntime) => Promise<void>) => Promise<void>,
) {
  const payloadOf = (codeHash: string, args: object, timeoutMs = 5_000) => ({
    version: 1,
    code_sha256: codeHash,
    request: { args, configuration: {} },
    client: null,
    timeout_ms: timeoutMs,
  });

  it(`a runtime, ${name}, returns what its code returns, runs no other code, ends it in time, and is probed`, async () => {
    await use(async ({ codeHash, invoke }) => {
      const args = { waitMs: 1, job: 'x' };
      expect(await invoke(payloadOf(codeHash, args))).toEqual({ outcome: 'returned', value: { raw: args } });
      expect(await invoke(payloadOf('0'.repeat(64), args))).toEqual({ outcome: 'stale' });
      expect(await invoke({ version: 1, code_sha256: codeHash, probe: true })).toEqual({ outcome: 'loaded' });
      expect(await invoke(payloadOf(codeHash, { waitMs: 60_000 }, 100))).toEqual({ outcome: 'timed_out' });
    });
  });
}
