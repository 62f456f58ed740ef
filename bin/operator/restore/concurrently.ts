/**
 * Runs `work` for each element, at most `limit` at a time. Rejects with the first error, after the
 * running ones have ended.
 */
export async function concurrently<T>(
  elements: Iterable<T>,
  limit: number,
  work: (element: T) => Promise<unknown>,
): Promise<void> {
  const iterator = elements[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;

  async function take(): Promise<void> {
    for (let turn = iterator.next(); turn.done !== true; turn = iterator.next()) {
      if (failure !== undefined) return;
      try {
        await work(turn.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  }

  await Promise.all(Array.from({ length: limit }, take));
  if (failure !== undefined) throw failure.error;
}
