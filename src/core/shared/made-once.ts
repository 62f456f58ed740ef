/** What is made when it is first asked for, and kept. */
export function madeOnce<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
