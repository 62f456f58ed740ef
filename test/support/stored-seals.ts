import { SEAL_HEAD_KEY, SEALS, sealKey } from '../../src/adapters/dynamodb/keys.ts';
import { createSealHead, createSealStore, readSeal } from '../../src/adapters/dynamodb/seal-store.ts';
import type { Seal } from '../../src/core/trail/trail-store.ts';
import { pagesOf } from './fakes/an-audit-trail.ts';
import { itemsOf, putItem, removeItem, tablesInMemory } from './stores-in-memory.ts';

const TABLE = 'AuditSeals';

/** The seals of a trail in order, as an administrator of their table reads and changes them. */
export class StoredSeals {
  readonly #tables = tablesInMemory();

  constructor(of?: StoredSeals) {
    if (of !== undefined) this.#tables.dynamodb.replaceContents(of.#tables.dynamodb.contents());
  }

  /** The port, in pages that are shorter than those of DynamoDB. */
  get store() {
    const store = createSealStore(this.#tables.table(TABLE));
    return {
      ...store,
      async *seals(from: number, to: number) {
        const all: Seal[] = [];
        for await (const page of store.seals(from, to)) all.push(...page);
        yield* pagesOf(all);
      },
    };
  }

  get head() {
    return createSealHead(this.#tables.table('Access'));
  }

  get headHash(): Buffer | undefined {
    const seal = this.#tables.dynamodb.item('Access', SEAL_HEAD_KEY)?.['seal'];
    return seal instanceof Uint8Array ? Buffer.from(seal) : undefined;
  }

  set headHash(seal: Buffer | undefined) {
    if (seal === undefined) removeItem(this.#tables, 'Access', SEAL_HEAD_KEY);
    else putItem(this.#tables, 'Access', { ...SEAL_HEAD_KEY, seal });
  }

  values(): readonly Seal[] {
    return [...itemsOf(this.#tables, TABLE)].filter(({ pk }) => pk === SEALS).map(readSeal);
  }

  put({ from, part, body, signature }: Seal): void {
    putItem(this.#tables, TABLE, { ...sealKey(from, part), body, signature });
  }

  delete({ from, part }: Seal): void {
    removeItem(this.#tables, TABLE, sealKey(from, part));
  }

  clear(): void {
    for (const seal of this.values()) this.delete(seal);
  }
}
