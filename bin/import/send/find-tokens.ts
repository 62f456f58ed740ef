import { CallFailed, type ImportService, type ShownToken } from '../service.ts';

const IDS_MAX = 100;
/** Most bytes of an address: gateways take 8 KB of a request line. */
const ADDRESS_MAX_BYTES = 6_000;

const bytesOf = (id: string): number => encodeURIComponent(id).length + '&id='.length;

function* partsOf(ids: readonly string[]): Generator<readonly string[]> {
  let part: string[] = [];
  let bytes = 0;
  for (const id of ids) {
    if (part.length === IDS_MAX || (part.length > 0 && bytes + bytesOf(id) > ADDRESS_MAX_BYTES)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(id);
    bytes += bytesOf(id);
  }
  if (part.length > 0) yield part;
}

/** Finds tokens by their ids; `undefined` for a key that may not read any. */
export async function findTokens(
  service: Pick<ImportService, 'find'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ShownToken> | undefined> {
  const found = new Map<string, ShownToken>();
  try {
    for (const part of partsOf(ids)) for (const token of await service.find(part)) found.set(token.id, token);
  } catch (error) {
    if (error instanceof CallFailed && error.status === 403) return undefined;
    throw error;
  }
  return found;
}
