import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { KeyUses } from '../../core/access/credential-store.ts';
import { conditionalWrite } from './conditional-write.ts';
import { credentialKey, FIRST_COPY } from './keys.ts';
import type { Table } from './table-client.ts';

/**
 * Notes the last use of a key in its first copy, which is not read to authenticate more often. The
 * condition and the right to write (`lib/grants.ts`) are of this one attribute: a live key has it,
 * empty at first, and the tombstone of a deleted key lacks it.
 */
export const createKeyUses = (table: Table): KeyUses => ({
  async note(keyHash, day) {
    const command = new UpdateCommand({
      TableName: table.name,
      Key: credentialKey(keyHash, FIRST_COPY),
      UpdateExpression: 'SET lastUsedOn = :day',
      ConditionExpression: 'lastUsedOn < :day',
      ExpressionAttributeValues: { ':day': day },
    });
    await conditionalWrite(table, command);
  },
});
