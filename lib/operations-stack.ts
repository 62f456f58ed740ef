import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { INDEXES } from '../src/adapters/dynamodb/keys.ts';
import type { Environment as OperatorEnvironment } from '../functions/operator/config.ts';
import type { Environment as SweeperEnvironment } from '../functions/sweeper/config.ts';
import { acknowledge } from './acknowledge.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import type { DataStack } from './data-stack.ts';
import {
  acknowledgeFunctions,
  allowLook,
  allowOnFunctions,
  allowOnTable,
  allowQueryIndex,
  allowSend,
  allowTenantKeys,
  allowTokenWrites,
} from './grants.ts';
import { storeEnvironment, tokenEnvironment } from './environments.ts';
import type { ReactorStack } from './reactor-stack.ts';
import type { Settings } from './settings.ts';

export interface OperationsStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
  readonly reactors: ReactorStack;
}

const queues = ({ invocations, deliveries }: ReactorStack) => ({
  INVOCATIONS_QUEUE_URL: invocations.queue.queueUrl,
  DELIVERIES_QUEUE_URL: deliveries.queue.queueUrl,
});

/**
 * What the operator of a deployment uses: never reachable through the API, only by AWS credentials
 * that may invoke it.
 */
export class OperationsStack extends Stack {
  readonly sweeper: LambdaFunction;

  constructor(scope: Construct, id: string, { settings, data, reactors, ...props }: OperationsStackProps) {
    super(scope, id, props);
    const operator = new ServiceFunction<OperatorEnvironment>(this, 'Operator', {
      folder: 'operator',
      description: 'Operator commands',
      functionName: `${settings.serviceName}-operator`,
      timeoutSeconds: 60,
      memoryMegabytes: 512,
      logRetentionDays: settings.logRetentionDays,
      key: data.key,
      environment: {
        ...storeEnvironment(data),
        ...tokenEnvironment(settings, data),
        REACTORS_TABLE: data.reactors.tableName,
        KEY_ROTATION_DAYS: String(settings.keyRotationDays),
        ...queues(reactors),
        REACTOR_FUNCTION_PREFIX: reactors.functionPrefix,
      },
      grants: [
        ...[data.tokens, data.ephemeral, data.access, data.reactors].map((table) =>
          allowQueryIndex(table, INDEXES.due),
        ),
        allowOnTable(data.access, ['BatchGetItem', 'PutItem', 'DeleteItem', 'Query']),
        allowTenantKeys(data.key, 'GenerateDataKey'),
        allowTenantKeys(data.key, 'Decrypt'),
        ...allowTokenWrites(data),
        allowQueryIndex(data.tokens, INDEXES.list),
        allowOnTable(data.reactors, ['BatchGetItem', 'PutItem', 'DeleteItem', 'Query']),
        allowOnFunctions(this, reactors.functionPrefix, [
          'DeleteFunction',
          'DeleteProvisionedConcurrencyConfig',
        ]),
        allowSend(reactors.deliveries.queue),
        ...[reactors.invocations, reactors.deliveries].map(({ queue }) => allowLook(queue)),
      ],
    });
    this.sweeper = this.#sweeper(settings, data, reactors);
    acknowledgeFunctions(this, reactors.functionPrefix);
    new CfnOutput(this, 'OperatorFunctionName', {
      value: operator.lambda.functionName,
      description: 'Invoked by npm run operator',
    });
  }
  /**
   * Removes what is due every minute: expired tokens, values of cvc, what interrupted writes have
   * left.
   */
  #sweeper(settings: Settings, data: DataStack, reactors: ReactorStack): LambdaFunction {
    const sweeper = new ServiceFunction<SweeperEnvironment>(this, 'Sweeper', {
      folder: 'sweeper',
      description: 'Removes what is due',
      timeoutSeconds: 58,
      // One processor: it has no more to do than that takes, and its price is by the time that it
      // needs.
      memoryMegabytes: 1_769,
      logRetentionDays: settings.logRetentionDays,
      key: data.key,
      environment: {
        SERVICE_NAME: settings.serviceName,
        ...tokenEnvironment(settings, data),
        EPHEMERAL_TABLE: data.ephemeral.tableName,
        ACCESS_TABLE: data.access.tableName,
        REACTORS_TABLE: data.reactors.tableName,
        KEY_ROTATION_DAYS: String(settings.keyRotationDays),
        ...queues(reactors),
        REACTOR_FUNCTION_PREFIX: reactors.functionPrefix,
        HOT_CONCURRENCY: String(settings.hotConcurrency),
      },
      grants: [
        allowQueryIndex(data.tokens, INDEXES.due),
        allowOnTable(data.tokens, ['BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']),
        allowQueryIndex(data.ephemeral, INDEXES.due),
        allowOnTable(data.ephemeral, ['DeleteItem']),
        allowQueryIndex(data.access, INDEXES.due),
        // No right on the tenants' keys: a rotation needs none in hand.
        allowOnTable(data.access, ['BatchGetItem', 'PutItem', 'DeleteItem']),
        allowQueryIndex(data.reactors, INDEXES.due),
        allowOnTable(data.reactors, ['BatchGetItem', 'PutItem', 'DeleteItem']),
        allowOnFunctions(this, reactors.functionPrefix, [
          'CreateAlias',
          'UpdateAlias',
          'ListVersionsByFunction',
          'DeleteFunction',
          'PutProvisionedConcurrencyConfig',
          'DeleteProvisionedConcurrencyConfig',
        ]),
        allowSend(reactors.invocations.queue),
        allowSend(reactors.deliveries.queue),
      ],
    });
    const everyMinute = new Rule(this, 'EveryMinute', {
      description: 'Removes what is due',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaTarget(sweeper.lambda, { retryAttempts: 0 })],
    });
    acknowledge(everyMinute, {
      'Serverless-EventBusDLQ': 'The next event comes a minute later and finds all that this one did not do.',
    });
    return sweeper.lambda;
  }
}
