import { dynamoDbClient, kmsClient } from '../../src/adapters/aws/clients.ts';
import { createTrailSearch } from '../../src/adapters/dynamodb/trail-search.ts';
import type { Instance } from '../../src/adapters/instance.ts';
import { createStores, createTrail } from '../../src/adapters/stores.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import type { ListRecordsDeps } from '../../src/core/trail/list-records.ts';
import { apiSettings } from '../../src/http/api-settings.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
import { environment } from './config.ts';

export type LogsDeps = ApiDeps & ListRecordsDeps;

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): Unaudited<LogsDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const stores = createStores(dynamodb, kmsClient(aws), config);
  return {
    ...apiSettings(config, instance),
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
    ...createTrailSearch(
      { ...dynamodb, name: config.AUDIT_TABLE },
      { ...dynamodb, name: config.AUDIT_INDEX_TABLE },
    ),
  };
}
