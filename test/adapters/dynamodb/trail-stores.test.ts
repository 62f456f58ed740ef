import { createCheckCursor } from '../../../src/adapters/dynamodb/check-cursor.ts';
import {
  createIndexPages,
  createIndexReader,
  createIndexStore,
} from '../../../src/adapters/dynamodb/index-store.ts';
import { createSealHead, createSealStore } from '../../../src/adapters/dynamodb/seal-store.ts';
import {
  createRecordsAt,
  createTrailPages,
  createTrailReader,
} from '../../../src/adapters/dynamodb/trail-reader.ts';
import { createTrailWriter } from '../../../src/adapters/dynamodb/trail-writer.ts';
import { checkCursorContract } from '../../contracts/check-cursor-contract.ts';
import { indexStoreContract } from '../../contracts/index-store-contract.ts';
import { sealHeadContract, sealStoreContract } from '../../contracts/seal-store-contract.ts';
import { trailReaderContract } from '../../contracts/trail-reader-contract.ts';
import { aDatabase, type Database } from '../../support/a-database.ts';

let database: Database;
beforeAll(async () => {
  database = await aDatabase(3);
});
afterAll(() => database.close());

trailReaderContract('in DynamoDB', () => {
  const table = database.table('Audit');
  const writer = createTrailWriter(table);
  return {
    reader: createTrailReader(table),
    pages: createTrailPages(table),
    recordsAt: createRecordsAt(table),
    mark: (mark) => writer.mark(mark),
    write: (record) => writer.write(record, { referred: [] }),
  };
});
sealStoreContract('in DynamoDB', () => createSealStore(database.table('AuditSeals')));
sealHeadContract('in DynamoDB', () => createSealHead(database.table('Access')));
checkCursorContract('in DynamoDB', () => createCheckCursor(database.table('Access')));
indexStoreContract('in DynamoDB', () => {
  const index = database.table('AuditIndex');
  return {
    store: createIndexStore(index, database.table('Audit')),
    reader: createIndexReader(index),
    pages: createIndexPages(index),
  };
});
