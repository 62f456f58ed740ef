import type { Database } from './database.ts';
import type { LevelOperation } from './dynalite-types.ts';
import type { History } from './history.ts';
import type { Tables } from './tables.ts';
import { createWriteUnit, type WriteUnit } from './write-unit.ts';

/** Runs writes sequentially; reads never wait for them. */
export interface Writer {
  /**
   * Runs `task` with a new unit and then applies its writes, with `more()`, as one batch. Resolves
   * when the batch is stored; if `task` rejects, nothing is.
   */
  write<T>(
    task: (unit: WriteUnit) => Promise<T>,
    more?: (result: T) => readonly LevelOperation[],
  ): Promise<T>;
}

export function createWriter(database: Database, tables: Tables, history: History): Writer {
  let last: Promise<unknown> = Promise.resolve();

  async function perform<T>(
    task: (unit: WriteUnit) => Promise<T>,
    more: ((result: T) => readonly LevelOperation[]) | undefined,
  ): Promise<T> {
    const unit = createWriteUnit(database.readItem, tables);
    const result = await task(unit);
    const operations = [...unit.operations(), ...(more?.(result) ?? [])];
    if (operations.length > 0) await database.batch(operations);
    for (const { table, itemKey, before } of unit.changed())
      if (tables.find(table.TableName)?.hasPointInTimeRecovery === true)
        history.record(table.TableName, itemKey, before);
    return result;
  }

  return {
    write: (task, more) => {
      const turn = last.then(() => perform(task, more));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
