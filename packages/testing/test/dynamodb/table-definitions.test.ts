import { z } from 'zod';
import { synthesized } from '../../../../test/support/synthesized.ts';
import { EXPIRY_ATTRIBUTE, TABLES, type TableDefinition } from '../../src/dynamodb/table-definitions.ts';

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const tableProperties = z.object({
  AttributeDefinitions: z.array(z.strictObject({ AttributeName: z.string(), AttributeType: z.string() })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.strictObject({
          ProjectionType: z.string(),
          NonKeyAttributes: z.array(z.string()).optional(),
        }),
      }),
    )
    .optional(),
  LocalSecondaryIndexes: z.undefined().optional(),
  TimeToLiveSpecification: z.strictObject({ AttributeName: z.string(), Enabled: z.literal(true) }).optional(),
});
type TableProperties = z.infer<typeof tableProperties>;

/** Reads the tables of the service's templates, by their logical ids before the hash. */
function templateTables(): ReadonlyMap<string, TableProperties> {
  const resources = synthesized().flatMap(({ template }) => Object.entries(template.Resources));
  return new Map(
    resources
      .filter(([, { Type }]) => Type === 'AWS::DynamoDB::Table')
      .map(([id, { Properties }]) => [id.slice(0, -8), tableProperties.parse(Properties)]),
  );
}

const keysOf = (partitionKey: string, sortKey: string) => [
  { AttributeName: partitionKey, KeyType: 'HASH' as const },
  { AttributeName: sortKey, KeyType: 'RANGE' as const },
];

/** The template of a table must define these. Every key of the service is a text. */
function propertiesOf({ indexes, expires }: TableDefinition): TableProperties {
  const keys = ['pk', 'sk', ...indexes.flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey])];
  return {
    AttributeDefinitions: keys.map((name) => ({ AttributeName: name, AttributeType: 'S' })),
    KeySchema: keysOf('pk', 'sk'),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map(({ name, partitionKey, sortKey, attributes }) => ({
        IndexName: name,
        KeySchema: keysOf(partitionKey, sortKey),
        Projection:
          attributes.length === 0
            ? { ProjectionType: 'KEYS_ONLY' }
            : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...attributes] },
      })),
    }),
    ...(expires && { TimeToLiveSpecification: { AttributeName: EXPIRY_ATTRIBUTE, Enabled: true as const } }),
  };
}

it('the stores in memory have the tables of the template, with their keys, indexes and expiry', () => {
  const tables = templateTables();
  expect([...tables.keys()].toSorted()).toEqual(TABLES.map(({ name }) => name).toSorted());
  expect(TABLES).toHaveLength(7);
  for (const table of TABLES)
    expect([table.name, tables.get(table.name)]).toEqual([table.name, propertiesOf(table)]);
});
