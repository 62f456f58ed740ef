import * as z from 'zod/mini';
import type { CheckCursor, CheckState } from '../../core/trail/check-latest.ts';
import { parseJson } from '../../core/shared/parse-json.ts';
import { getItem } from './batch-get.ts';
import { conditionalPut } from './conditional-write.ts';
import { CHECK_CURSOR_KEY } from './keys.ts';
import type { Table } from './table-client.ts';

const stateShape = z.lazy(() =>
  z.object({
    to: z.number(),
    chunk: z.optional(
      z.object({ to: z.number(), after: z.string(), open: z.array(z.tuple([z.string(), z.number()])) }),
    ),
    broken: z.array(
      z.object({
        from: z.number(),
        foundAt: z.number(),
        failures: z.number(),
        first: z.object({
          interval: z.union([
            z.object({ from: z.number(), to: z.optional(z.number()) }),
            z.enum(['not sealed yet', 'before the first seal']),
          ]),
          trail: z.optional(z.string()),
          place: z.optional(z.string()),
          what: z.string(),
        }),
      }),
    ),
  }),
);
const cursorItem = z.lazy(() => z.object({ revision: z.int(), state: z.string() }));

/** The cursor is in the Access table, where only the operator function may write this item. */
export function createCheckCursor(table: Table): CheckCursor {
  return {
    async read() {
      const item = await getItem(table, CHECK_CURSOR_KEY);
      if (item === undefined) return undefined;
      const { revision, state } = cursorItem.parse(item);
      return { revision, state: stateShape.parse(parseJson(state)) as CheckState };
    },

    async save(state, revision) {
      const condition =
        revision === 0
          ? { expression: 'attribute_not_exists(pk)' }
          : { expression: 'revision = :before', values: { ':before': revision } };
      const item = { ...CHECK_CURSOR_KEY, revision: revision + 1, state: JSON.stringify(state) };
      const outcome = await conditionalPut(table, item, condition, {
        read: (found) => cursorItem.parse(found),
        isSame: (found) => found.revision === item.revision && found.state === item.state,
      });
      return outcome === 'written';
    },
  };
}
