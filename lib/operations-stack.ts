import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import { INDEXES } from '../adapters/dynamodb/keys.ts';
import type { Environment as OperatorEnvironment } from '../functions/operator/config.ts';
import type { Environment as SweeperEnvironment } from '../functions/sweeper/config.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import type { DataStack } from './data-stack.ts';
import { allowOnTable, allowQueryIndex, allowTenantKeys } from './grants.ts';
import type { Settings } from './settings.ts';

export interface OperationsStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
}

/** What the operator of a deployment uses: never reachable through the API, only by AWS credentials that may invoke it. */
export class OperationsStack extends Stack {
  constructor(scope: Construct, id: string, { settings, data, ...props }: OperationsStackProps) {
    super(scope, id, props);
    const operator = new ServiceFunction<OperatorEnvironment>(this, 'Operator', {
      folder: 'operator',
      description: 'Operator commands',
      functionName: `${settings.serviceName}-operator`,
      timeoutSeconds: 60,
      memoryMegabytes: 512,
      logRetentionDays: settings.logRetentionDays,
      environment: { ACCESS_TABLE: data.access.tableName, KEY_ID: data.key.keyArn },
      grants: [allowOnTable(data.access, ['PutItem']), allowTenantKeys(data.key, 'GenerateDataKey')],
    });
    this.#sweeper(settings, data);
    new CfnOutput(this, 'OperatorFunctionName', {
      value: operator.lambda.functionName,
      description: 'Invoked by npm run operator',
    });
  }
  /** Removes what is due every minute: expired tokens, values of cvc, what interrupted writes have left. */
  #sweeper(settings: Settings, data: DataStack): void {
    const sweeper = new ServiceFunction<SweeperEnvironment>(this, 'Sweeper', {
      folder: 'sweeper',
      description: 'Removes what is due',
      timeoutSeconds: 58,
      memoryMegabytes: 512,
      logRetentionDays: settings.logRetentionDays,
      environment: {
        TOKENS_TABLE: data.tokens.tableName,
        EPHEMERAL_TABLE: data.ephemeral.tableName,
        ACCESS_TABLE: data.access.tableName,
        LIST_SHARDS: String(settings.listShards),
      },
      grants: [
        allowQueryIndex(data.tokens, INDEXES.due),
        allowOnTable(data.tokens, [
          'GetItem',
          'BatchGetItem',
          'PutItem',
          'UpdateItem',
          'DeleteItem',
          'BatchWriteItem',
        ]),
        allowQueryIndex(data.ephemeral, INDEXES.due),
        allowOnTable(data.ephemeral, ['DeleteItem']),
        allowQueryIndex(data.access, INDEXES.due),
        allowOnTable(data.access, ['GetItem', 'DeleteItem']),
      ],
    });
    new Rule(this, 'EveryMinute', {
      description: 'Removes what is due',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaTarget(sweeper.lambda, { retryAttempts: 0 })],
    });
  }
}
