import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { z } from 'zod';
import { DataStack } from '../../lib/data-stack.ts';
import { parseSettings } from '../../lib/settings.ts';
import type { TableDefinition } from '../../packages/local-aws/src/dynamodb/table.ts';

const tableResource = z.object({
  Properties: z.object({
    AttributeDefinitions: z.custom<TableDefinition['attributeDefinitions']>(),
    KeySchema: z.custom<TableDefinition['keySchema']>(),
    GlobalSecondaryIndexes: z.optional(z.custom<NonNullable<TableDefinition['globalSecondaryIndexes']>>()),
  }),
});

/**
 * The tables as the data stack defines them, without their policies, each named by its logical id
 * before the hash.
 */
export function tableDefinitions(names: readonly string[]): readonly TableDefinition[] {
  const outdir = mkdtempSync(join(tmpdir(), 'cloakroom-templates-'));
  try {
    const template = Template.fromStack(
      new DataStack(new App({ outdir }), 'Data', { settings: parseSettings({}) }),
    );
    const tables = Object.entries(template.findResources('AWS::DynamoDB::Table'));
    return names.map((name) => {
      const [, found] = tables.find(([id]) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id)) ?? [];
      const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } =
        tableResource.parse(found).Properties;
      return {
        name,
        attributeDefinitions: AttributeDefinitions,
        keySchema: KeySchema,
        ...(GlobalSecondaryIndexes && { globalSecondaryIndexes: GlobalSecondaryIndexes }),
        timeToLiveAttribute: 'ttl',
      };
    });
  } finally {
    rmSync(outdir, { recursive: true });
  }
}
