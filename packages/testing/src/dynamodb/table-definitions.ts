import {
  FINGERPRINT_INDEX_ATTRIBUTES,
  INDEXES,
  GROUP_INDEX_ATTRIBUTES,
  LIST_INDEX_ATTRIBUTES,
} from '../../../../src/adapters/dynamodb/keys.ts';
import { EXPIRY_ATTRIBUTE } from '../../../../src/adapters/dynamodb/append-only.ts';

export interface IndexDefinition {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Its entries have these attributes besides all keys. */
  readonly attributes: readonly string[];
}

/** A table whose key is `pk` and `sk`. */
export interface TableDefinition {
  readonly name: string;
  readonly expires: boolean;
  readonly indexes: readonly IndexDefinition[];
}

export { EXPIRY_ATTRIBUTE };

const DUE: IndexDefinition = {
  name: INDEXES.due,
  partitionKey: 'duePk',
  sortKey: 'dueSk',
  attributes: [],
};

/** The tables of lib/data-stack.ts. A test compares them with its template. */
export const TABLES: readonly TableDefinition[] = [
  {
    name: 'Tokens',
    expires: true,
    indexes: [
      DUE,
      {
        name: INDEXES.list,
        partitionKey: 'listPk',
        sortKey: 'listSk',
        attributes: LIST_INDEX_ATTRIBUTES,
      },
      {
        name: INDEXES.fingerprint,
        partitionKey: 'fingerprint',
        sortKey: 'matchSk',
        attributes: FINGERPRINT_INDEX_ATTRIBUTES,
      },
    ],
  },
  { name: 'Ephemeral', expires: true, indexes: [DUE] },
  { name: 'Access', expires: true, indexes: [DUE] },
  {
    name: 'Reactors',
    expires: true,
    indexes: [
      DUE,
      {
        name: INDEXES.group,
        partitionKey: 'groupPk',
        sortKey: 'groupSk',
        attributes: GROUP_INDEX_ATTRIBUTES,
      },
    ],
  },
  { name: 'Audit', expires: true, indexes: [] },
  { name: 'AuditIndex', expires: true, indexes: [] },
  { name: 'AuditSeals', expires: false, indexes: [] },
];
