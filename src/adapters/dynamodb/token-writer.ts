import type { Clock } from '../../core/shared/clock.ts';
import type { UnprovenTokenStore } from '../../core/tokens/token-store.ts';
import { createTokenCreate } from './token-create.ts';
import { createWriteConflicts } from './write-conflicts.ts';
import { summaryOf } from './token-parts.ts';
import type { TokenReader } from './token-reader.ts';
import { createTokenRemoval, type TokenRemoval } from './token-removal.ts';
import type { TokenTables } from './token-tables.ts';
import { createTokenUpdate } from './token-update.ts';
import { createWriteCalls } from './write-calls.ts';

export type TokenWriter = Pick<UnprovenTokenStore, 'create' | 'update' | 'deleteVersion'> &
  Pick<TokenRemoval, 'remove' | 'repair'>;

/** Writes tokens, and repairs them for the sweep. */
export function createTokenWriter(tables: TokenTables, reader: TokenReader, clock: Clock): TokenWriter {
  const calls = createWriteCalls(tables);
  const removal = createTokenRemoval(tables, calls, clock);
  const conflicts = createWriteConflicts(reader, removal, clock);
  return {
    create: createTokenCreate(tables, calls, removal, conflicts, clock),
    update: createTokenUpdate(tables, calls, removal, conflicts, clock),
    remove: (token) => removal.remove(token),
    repair: (read) => removal.repair(read),

    async deleteVersion(token) {
      if (await removal.remove(summaryOf(token))) return true;
      // The leftovers of a dead writer may prevent the next attempt.
      const read = await reader.findItem(token.tenantId, token.id);
      if (read !== undefined) await removal.repair(read);
      return false;
    },
  };
}
