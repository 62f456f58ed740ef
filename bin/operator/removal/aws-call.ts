/** Clients are created with these. They are empty for AWS, where the environment decides. */
export type ClientSettings = Readonly<Record<string, unknown>>;

/** The result of a call, or `undefined` if it fails with one of these errors. */
export async function unless<T>(names: readonly string[], call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && names.includes(error.name)) return undefined;
    throw error;
  }
}
