import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { CommandFailure, UsageError } from '../../command-line/failures.ts';
import type { RowProblem } from '../read/read-row.ts';

/**
 * Says what runs know of an old id. `sent`: a request with it may have been done. `done`: its token
 * exists. `seen`: a token exists, and nothing says what it has. `refused`: it has no token.
 */
export type State = 'sent' | 'done' | 'seen' | 'refused';

export interface Entry {
  readonly row: number;
  readonly run: string;
  readonly state: State;
  /** Digests of what the token may have. */
  readonly digests: readonly string[];
  /** The id of its token, if that is not the one that the import chose. */
  readonly tokenId?: string;
}

/** Lists of a report, by the name of their number. */
export type Listed = 'refused' | 'different' | 'expired';

export interface ReportRow extends RowProblem {
  readonly row: number;
}

export type Change =
  | { readonly kind: 'entry'; readonly oldId: string; readonly entry: Entry }
  | { readonly kind: 'row'; readonly list: Listed; readonly row: ReportRow };

/** Another import must not go on with a journal that has another one. */
export interface Binding {
  readonly format: string;
  readonly source: string;
  readonly columns: string;
  readonly tenant: string;
  readonly service: string;
}

/** Has old ids, digests and states, and never a value. It needs no memory for its size. */
export interface Journal {
  readonly entries: (oldIds: readonly string[]) => Promise<readonly (Entry | undefined)[]>;
  /** All or nothing. Rejects with {@link CommandFailure} if it cannot be written. */
  readonly write: (changes: readonly Change[]) => Promise<void>;
  /** The rows of a list of the present run, in their order. */
  readonly rows: (list: Listed) => AsyncIterable<ReportRow>;
  readonly close: () => Promise<void>;
}

const VERSION = 1;
const META = 'meta';
const ROW_DIGITS = 12;

const entryKey = (oldId: string): string => `id!${oldId}`;
const rowKey = (list: Listed, row: number): string => `row!${list}!${String(row).padStart(ROW_DIGITS, '0')}`;

type Level = ClassicLevel<string, unknown>;

const WORDS: Readonly<Record<keyof Binding, string>> = {
  format: 'format',
  source: 'source',
  columns: 'columns or map',
  tenant: 'tenant',
  service: 'service',
};

/** The member in which two bindings differ. A tenant may have two addresses. */
function differing(one: Binding, other: Binding): keyof Binding | undefined {
  const isTenantKnown = one.tenant !== '' && other.tenant !== '';
  const names = ['format', 'source', 'columns', isTenantKnown ? 'tenant' : 'service'] as const;
  return names.find((name) => one[name] !== other[name]);
}

const codeOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = errorCode(cause) ?? errorCode(error);
  return typeof code === 'string' ? code : 'unknown reason';
};

function checkFolder(folder: string): void {
  let names: readonly string[];
  try {
    names = existsSync(folder) ? readdirSync(folder) : [];
  } catch (error) {
    throw new UsageError(`the journal ${folder} cannot be read (${codeOf(error)})`);
  }
  if (names.length > 0 && !names.includes('CURRENT')) throw new UsageError(`${folder} is no journal`);
}

async function open(folder: string): Promise<Level> {
  const level: Level = new ClassicLevel(folder, { valueEncoding: 'json' });
  try {
    await level.open();
    return level;
  } catch (error) {
    const code = codeOf(error);
    throw new UsageError(
      code === 'LEVEL_LOCKED'
        ? `the journal ${folder} is in use by another import`
        : `the journal ${folder} cannot be opened (${code})`,
    );
  }
}

/** Binds a new journal, or checks one that another run began. */
async function bind(level: Level, folder: string, binding: Binding): Promise<void> {
  const stored = (await level.get(META)) as ({ readonly version: number } & Binding) | undefined;
  const name = stored === undefined ? undefined : differing(stored, binding);
  if (stored !== undefined && stored.version !== VERSION)
    throw new UsageError(`the journal ${folder} was made by another version of this command`);
  if (name !== undefined)
    throw new UsageError(
      `the journal ${folder} belongs to an import with another ${WORDS[name]}: name another --journal`,
    );
  await level.put(META, { version: VERSION, ...binding });
  await level.clear({ gte: 'row!', lt: 'row"' });
}

function journalOver(level: Level, folder: string, end: () => void): Journal {
  return {
    entries: async (oldIds) => (await level.getMany(oldIds.map(entryKey))) as readonly (Entry | undefined)[],
    write: async (changes) => {
      try {
        await level.batch(
          changes.map((change) =>
            change.kind === 'entry'
              ? { type: 'put', key: entryKey(change.oldId), value: change.entry }
              : { type: 'put', key: rowKey(change.list, change.row.row), value: change.row },
          ),
        );
      } catch (error) {
        throw new CommandFailure(`the journal ${folder} cannot be written (${codeOf(error)})`);
      }
    },
    rows: (list) =>
      level.values({
        gte: `row!${list}!`,
        lt: `row!${list}"`,
      }) as AsyncIterable<unknown> as AsyncIterable<ReportRow>,
    close: async () => {
      await level.close();
      end();
    },
  };
}

/** Opens a journal, which may be new. Rejects with {@link UsageError}. */
export async function openJournal(folder: string, binding: Binding): Promise<Journal> {
  checkFolder(folder);
  const level = await open(folder);
  try {
    await bind(level, folder, binding);
  } catch (error) {
    await level.close();
    throw error instanceof UsageError
      ? error
      : new UsageError(`the journal ${folder} cannot be written (${codeOf(error)})`);
  }
  return journalOver(level, folder, () => undefined);
}

/** Makes a journal for one run, which its end deletes. */
export async function temporaryJournal(): Promise<Journal> {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-import-'));
  const level = await open(folder);
  return journalOver(level, folder, () => {
    rmSync(folder, { recursive: true, force: true });
  });
}
