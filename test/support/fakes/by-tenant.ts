/** The key of a record in a fake: another tenant does not find it by the same id. */
export const at = (tenantId: string, id: string): string => `${tenantId}/${id}`;

/** The records of the ids that exist, each once. */
export const foundIn = <T>(records: ReadonlyMap<string, T>, tenantId: string, ids: readonly string[]): T[] =>
  [...new Set(ids)].flatMap((id) => records.get(at(tenantId, id)) ?? []);
