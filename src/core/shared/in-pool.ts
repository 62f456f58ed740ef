/**
 * Works on items in order, a limited number at a time. Rejects with the first failure, after the
 * items that were begun have ended; no other item begins then, or once `next` returns `undefined`.
 */
export async function inPool<T>(
  size: number,
  next: () => T | undefined,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  const nextOne = () => (failure === undefined ? next() : undefined);
  const worker = async () => {
    for (let item = nextOne(); item !== undefined; item = nextOne())
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
  };
  await Promise.all(Array.from({ length: size }, worker));
  if (failure !== undefined) throw failure.error;
}
