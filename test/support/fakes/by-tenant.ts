/** Where a fake keeps a record: what another tenant asks for by the same id is not there. */
export const at = (tenantId: string, id: string): string => `${tenantId}/${id}`;

/** The records of the ids that exist, each once. */
export const foundIn = <T>(records: ReadonlyMap<string, T>, tenantId: string, ids: readonly string[]): T[] =>
  [...new Set(ids)].flatMap((id) => records.get(at(tenantId, id)) ?? []);
