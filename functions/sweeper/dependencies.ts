import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CLIENT_SETTINGS } from '../../adapters/aws/client-settings.ts';
import { dueApplications, dueSessions } from '../../adapters/dynamodb/due-access.ts';
import { dueCvcs, dueTokens } from '../../adapters/dynamodb/due-tokens.ts';
import type { Clock } from '../../core/shared/clock.ts';
import type { DueWork } from '../../core/sweep/sweep.ts';
import { environment } from './config.ts';

export interface SweeperDeps {
  readonly clock: Clock;
  /** In the order of their urgency: what must not outlive its time comes first. */
  readonly works: readonly DueWork[];
}

/** Wires the function from its environment. Throws at the start of an instance if a variable is missing. */
export function dependencies(env: NodeJS.ProcessEnv): SweeperDeps {
  const config = environment.parse(env);
  const tables = {
    client: new DynamoDBClient(CLIENT_SETTINGS),
    tokensTable: config.TOKENS_TABLE,
    ephemeralTable: config.EPHEMERAL_TABLE,
    listShards: config.LIST_SHARDS,
  };
  const ephemeral = { client: tables.client, name: config.EPHEMERAL_TABLE };
  const access = { client: tables.client, name: config.ACCESS_TABLE };
  const works = [
    dueCvcs(tables, Date.now),
    dueTokens(tables, Date.now),
    dueApplications(access, Date.now),
    dueSessions(ephemeral, Date.now),
  ];
  return { clock: Date.now, works };
}
