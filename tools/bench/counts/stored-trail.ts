import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { itemBytes } from '../../../packages/local-aws/src/dynamodb/item-size.ts';
import type { LocalAdministrator } from '../../../packages/local-aws/src/control.ts';
import { allItems } from '../../../test/support/aws.ts';

type StoredItem = Readonly<Record<string, AttributeValue>>;

/** DynamoDB adds so many bytes to each item of a table when it bills storage. */
const OVERHEAD_BYTES = 100;
/** Marks for the sealer expire before, records a year later. */
const LASTING_SECONDS = 90 * 24 * 60 * 60;

const nameOf = ({ pk, sk }: StoredItem) => JSON.stringify([pk, sk]);

function isLasting({ ttl }: StoredItem): boolean {
  return ttl?.N === undefined || Number(ttl.N) > Date.now() / 1000 + LASTING_SECONDS;
}

/** The bytes that AWS bills for an item. */
function billedBytes(item: StoredItem): number {
  const members = Object.entries(item).map(([name, value]) => [
    name,
    value.B === undefined ? value : { B: Buffer.from(value.B).toString('base64') },
  ]);
  return OVERHEAD_BYTES + itemBytes(Object.fromEntries(members) as Parameters<typeof itemBytes>[0]);
}

/** The audit trail that a running local service writes. */
export interface StoredTrail {
  /** Runs an operation, and measures the items that it leaves for as long as records are stored. */
  during<T>(operation: () => Promise<T>): Promise<{ readonly result: T; readonly bytes: number }>;
}

export function openTrail(account: LocalAdministrator, table: string): StoredTrail {
  const stored = async () => (await allItems(account, (name) => name === table)).filter(isLasting);
  return {
    async during(operation) {
      const before = new Set((await stored()).map(nameOf));
      const result = await operation();
      const added = (await stored()).filter((item) => !before.has(nameOf(item)));
      return { result, bytes: added.reduce((sum, item) => sum + billedBytes(item), 0) };
    },
  };
}
