import type { TableDefinition } from '../../../../src/dynamodb/table.ts';
import { plain, things } from '../../a-dynamodb.ts';

/** Keys that are numbers, with an index over binary. */
const numbers: TableDefinition = {
  name: 'Numbers',
  attributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'N' },
    { AttributeName: 'at', AttributeType: 'N' },
    { AttributeName: 'blob', AttributeType: 'B' },
  ],
  keySchema: [
    { AttributeName: 'id', KeyType: 'HASH' },
    { AttributeName: 'at', KeyType: 'RANGE' },
  ],
  globalSecondaryIndexes: [
    {
      IndexName: 'by-blob',
      KeySchema: [
        { AttributeName: 'blob', KeyType: 'HASH' },
        { AttributeName: 'at', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
};

const blobs: TableDefinition = {
  name: 'Blobs',
  attributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'B' },
    { AttributeName: 'part', AttributeType: 'B' },
  ],
  keySchema: [
    { AttributeName: 'id', KeyType: 'HASH' },
    { AttributeName: 'part', KeyType: 'RANGE' },
  ],
};

export const tables: readonly TableDefinition[] = [things, plain, numbers, blobs];
