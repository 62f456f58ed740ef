import { ArnFormat, CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { INDEXES, SEAL_HEAD_KEY } from '../src/adapters/dynamodb/keys.ts';
import type { Environment as AuditSealerEnvironment } from '../functions/audit-sealer/config.ts';
import type { CommandName } from '../src/operator/command-names.ts';
import type { Environment as OperatorEnvironment } from '../functions/operator/config.ts';
import type { Environment as AccessEnvironment } from '../functions/operator-access/config.ts';
import type { Environment as RepublisherEnvironment } from '../functions/republisher/config.ts';
import type { Environment as SweeperEnvironment } from '../functions/sweeper/config.ts';
import { acceptFindings } from './accept-findings.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import type { DataStack } from './data-stack.ts';
import {
  accessFunctionName,
  operatorFunctionName,
  reactorLayerName,
  republisherName,
} from './deployment-names.ts';
import {
  acknowledgeFunctions,
  acknowledgeLayers,
  allowCodeKey,
  allowDeploymentTags,
  allowLook,
  allowOnFunctions,
  allowOnPartition,
  allowOnTable,
  allowProtection,
  allowQueryIndex,
  allowSend,
  allowTenantKeys,
  allowTokenWrites,
  denyDeploymentKey,
  denyKeys,
  denyTrailState,
} from './grants.ts';
import {
  auditEnvironment,
  layerEnvironment,
  perImage,
  storeEnvironment,
  tagEnvironment,
  tokenEnvironment,
} from './environments.ts';
import { VERSIONS, type ReactorStack } from './reactor-stack.ts';
import type { Settings } from './settings.ts';

export interface OperationsStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
  readonly reactors: ReactorStack;
}

/**
 * Shorter than an operation on a function lasts, so that no late call undoes a repair
 * (src/core/reactors/change-function.ts).
 */
const REPUBLISHER_SECONDS = 60;

const queues = ({ invocations, deliveries }: ReactorStack) => ({
  INVOCATIONS_QUEUE_URL: invocations.queue.queueUrl,
  DELIVERIES_QUEUE_URL: deliveries.queue.queueUrl,
});

/**
 * The tools of a deployment's operator: not reachable through the API, only with AWS credentials
 * that may invoke them.
 */
export class OperationsStack extends Stack {
  readonly operator: LambdaFunction;
  readonly sweeper: LambdaFunction;
  readonly republisher: LambdaFunction;
  readonly auditSealer: LambdaFunction;

  constructor(scope: Construct, id: string, { settings, data, reactors, ...props }: OperationsStackProps) {
    super(scope, id, props);
    this.operator = this.#operator(settings, data, reactors);
    this.#verifyEveryHour(this.operator);
    this.sweeper = this.#sweeper(settings, data, reactors);
    this.auditSealer = this.#auditSealer(settings, data);
    this.#operatorAccess(settings, data, reactors);
    this.republisher = this.#republisher(settings, data, reactors);
    acknowledgeFunctions(this, reactors.functionPrefix);
    acknowledgeFunctions(this, reactors.functionPrefix, VERSIONS);
    acknowledgeLayers(this, settings);
  }

  /** The commands that give no access to a tenant, and take none away. */
  #operator(settings: Settings, data: DataStack, reactors: ReactorStack): LambdaFunction {
    const operator = new ServiceFunction<OperatorEnvironment>(this, 'Operator', {
      folder: 'operator',
      description: 'Operator commands',
      functionName: operatorFunctionName(settings.serviceName),
      // A step of a check may take as long as the command line waits.
      timeoutSeconds: 300,
      // One processor: the hourly check computes a hash and a MAC of each record, and its price is
      // per time. With a share of one it would be late from a quarter of the requests on.
      memoryMegabytes: 1_769,
      isScheduled: true,
      settings,
      key: data.key,
      environment: {
        ...storeEnvironment(data),
        ...auditEnvironment(settings, data),
        AUDIT_INDEX_TABLE: data.auditIndex.tableName,
        AUDIT_SEALS_TABLE: data.auditSeals.tableName,
        SEAL_KEY_ID: data.sealKey.keyArn,
        ...tokenEnvironment(data),
        REACTORS_TABLE: data.reactors.tableName,
        HOT_INSTANCES: String(settings.hotInstances),
        KEY_ROTATION_DAYS: String(settings.keyRotationDays),
        ...queues(reactors),
        REPUBLISHER: republisherName(settings.serviceName),
        REACTOR_LAYER_NAMES: perImage((image) => reactorLayerName(settings.serviceName, image)),
        ...layerEnvironment(reactors.layers),
      },
      grants: [
        ...[data.tokens, data.ephemeral, data.access, data.reactors].map((table) =>
          allowQueryIndex(table, INDEXES.due),
        ),
        allowOnTable(data.access, ['BatchGetItem', 'PutItem', 'DeleteItem', 'Query']),
        denyTrailState(data.access, 'cursor'),
        denyKeys(data.access),
        allowOnTable(data.audit, ['PartiQLInsert', 'Query', 'BatchGetItem']),
        allowOnTable(data.auditIndex, ['Query']),
        allowOnTable(data.auditSeals, ['Query']),
        allowProtection([data.audit, data.auditIndex, data.auditSeals]),
        allowProtection([data.tokens, data.access, data.reactors, data.ephemeral]),
        new PolicyStatement({ actions: ['kms:GetPublicKey'], resources: [data.sealKey.keyArn] }),
        allowTenantKeys(data.key, 'GenerateDataKey'),
        allowTenantKeys(data.key, 'Decrypt'),
        // A root that leaves the deployment key is wrapped by KMS.
        allowTenantKeys(data.key, 'Encrypt', ['tenant']),
        ...allowTokenWrites(data),
        allowQueryIndex(data.tokens, INDEXES.list),
        allowOnTable(data.reactors, ['BatchGetItem', 'PutItem', 'Query']),
        allowQueryIndex(data.reactors, INDEXES.group),
        reactors.allowLayerList(),
        this.#allowEvents(republisherName(settings.serviceName)),
        allowSend(reactors.deliveries.queue),
        ...[reactors.invocations, reactors.deliveries].map(({ queue }) => allowLook(queue)),
      ],
    });
    new CfnOutput(this, 'OperatorFunctionName', {
      value: operator.lambda.functionName,
      description: 'Invoked by cloakroom operator',
    });
    return operator.lambda;
  }

  /**
   * The commands that give access to a tenant, or destroy it: a function of their own, so that IAM
   * can allow all others without them (docs/security.md#threat-model).
   */
  #operatorAccess(settings: Settings, data: DataStack, reactors: ReactorStack): void {
    const access = new ServiceFunction<AccessEnvironment>(this, 'OperatorAccess', {
      folder: 'operator-access',
      description: 'Operator commands that give access',
      functionName: accessFunctionName(settings.serviceName),
      // A step of a destruction may take as long as the command line waits.
      timeoutSeconds: 300,
      memoryMegabytes: 1_024,
      settings,
      key: data.key,
      environment: {
        ...storeEnvironment(data),
        ...auditEnvironment(settings, data),
        ...tokenEnvironment(data),
        REACTORS_TABLE: data.reactors.tableName,
        KEY_ROTATION_DAYS: String(settings.keyRotationDays),
        REACTOR_FUNCTION_PREFIX: reactors.functionPrefix,
      },
      grants: [
        allowOnTable(data.access, ['BatchGetItem', 'PutItem', 'DeleteItem', 'Query']),
        denyTrailState(data.access),
        allowOnTable(data.audit, ['PartiQLInsert']),
        allowTenantKeys(data.key, 'GenerateDataKey'),
        allowTenantKeys(data.key, 'Decrypt'),
        allowOnTable(data.tokens, [
          'BatchGetItem',
          'ConditionCheckItem',
          'PutItem',
          'UpdateItem',
          'DeleteItem',
        ]),
        allowQueryIndex(data.tokens, INDEXES.list),
        allowOnTable(data.ephemeral, ['DeleteItem']),
        // The number of reactors is written with each deletion.
        allowOnTable(data.reactors, ['BatchGetItem', 'PutItem', 'DeleteItem', 'Query']),
        allowOnFunctions(this, reactors.functionPrefix, [
          'DeleteFunction',
          'DeleteProvisionedConcurrencyConfig',
        ]),
      ],
    });
    new CfnOutput(this, 'OperatorAccessFunctionName', {
      value: access.lambda.functionName,
      description: 'Invoked by the commands that give access',
    });
  }

  /**
   * Moves reactors to another layer, which an operator starts. It has no right to make a function,
   * to pass a role, or on the keys of tenants.
   */
  #republisher(settings: Settings, data: DataStack, reactors: ReactorStack): LambdaFunction {
    const { functionPrefix: prefix } = reactors;
    const functionName = republisherName(settings.serviceName);
    const { lambda } = new ServiceFunction<RepublisherEnvironment>(this, 'Republisher', {
      folder: 'republisher',
      description: 'Moves reactors to another layer',
      functionName,
      timeoutSeconds: REPUBLISHER_SECONDS,
      memoryMegabytes: 512,
      // It sends itself the next event until all reactors have been tried.
      mayLoop: true,
      settings,
      key: data.key,
      environment: {
        REACTORS_TABLE: data.reactors.tableName,
        REPUBLISHER: functionName,
        REACTOR_FUNCTION_PREFIX: prefix,
        REACTOR_ARCHITECTURE: settings.architecture,
        ...tagEnvironment(settings),
        ...layerEnvironment(reactors.layers),
      },
      grants: [
        allowOnTable(data.reactors, ['BatchGetItem', 'PutItem', 'Query']),
        allowQueryIndex(data.reactors, INDEXES.group),
        allowOnFunctions(this, prefix, [
          'GetFunction',
          // GetFunction returns tags only to who may list them.
          'ListTags',
          'PublishVersion',
          'UpdateAlias',
        ]),
        allowDeploymentTags(this, prefix),
        reactors.allowWithLayer(['UpdateFunctionConfiguration']),
        allowOnFunctions(this, prefix, ['InvokeFunction'], VERSIONS),
        reactors.allowLayers(),
        allowCodeKey(data.key),
        this.#allowEvents(functionName),
      ],
    });
    return lambda;
  }

  /** Allows a function to send events to another one by its name. */
  #allowEvents(functionName: string): PolicyStatement {
    const arn = this.formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: functionName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    return new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [arn] });
  }

  /**
   * Removes due records every minute: expired tokens, cvc values, leftovers of interrupted writes.
   */
  #sweeper(settings: Settings, data: DataStack, reactors: ReactorStack): LambdaFunction {
    const sweeper = new ServiceFunction<SweeperEnvironment>(this, 'Sweeper', {
      folder: 'sweeper',
      description: 'Removes what is due',
      timeoutSeconds: 58,
      // One processor: more would not make it faster, and the price is per time.
      memoryMegabytes: 1_769,
      isScheduled: true,
      settings,
      key: data.key,
      environment: {
        SERVICE_NAME: settings.serviceName,
        ...tokenEnvironment(data),
        EPHEMERAL_TABLE: data.ephemeral.tableName,
        ACCESS_TABLE: data.access.tableName,
        REACTORS_TABLE: data.reactors.tableName,
        KEY_ROTATION_DAYS: String(settings.keyRotationDays),
        ...queues(reactors),
        REACTOR_FUNCTION_PREFIX: reactors.functionPrefix,
        ...layerEnvironment(reactors.layers),
        HOT_CONCURRENCY: String(settings.hotConcurrency),
        HOT_INSTANCES: String(settings.hotInstances),
      },
      grants: [
        allowQueryIndex(data.tokens, INDEXES.due),
        allowOnTable(data.tokens, [
          'BatchGetItem',
          'ConditionCheckItem',
          'PutItem',
          'UpdateItem',
          'DeleteItem',
        ]),
        allowQueryIndex(data.ephemeral, INDEXES.due),
        allowOnTable(data.ephemeral, ['DeleteItem']),
        allowQueryIndex(data.access, INDEXES.due),
        // No right on the tenants' keys: a rotation does not need them.
        allowOnTable(data.access, ['BatchGetItem', 'PutItem', 'DeleteItem']),
        denyTrailState(data.access),
        denyDeploymentKey(data.access),
        allowQueryIndex(data.reactors, INDEXES.group),
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
    acceptFindings(everyMinute, {
      'Serverless-EventBusDLQ': 'The next event comes a minute later and finds all that this one did not do.',
    });
    return sweeper.lambda;
  }

  /** Verifies what was sealed since the last hour, so that a change is known within the hour. */
  #verifyEveryHour(operator: LambdaFunction): void {
    const everyHour = new Rule(this, 'VerifyEveryHour', {
      description: 'Checks the audit trail against its seals, and how its tables are protected',
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [
        new LambdaTarget(operator, {
          retryAttempts: 0,
          event: RuleTargetInput.fromObject({
            command: 'verify-audit' satisfies CommandName,
            principal: 'schedule',
            latest: true,
          }),
        }),
      ],
    });
    acceptFindings(everyHour, {
      'Serverless-EventBusDLQ': 'The next event comes an hour later and goes on where the last check ended.',
    });
  }

  /**
   * Seals the audit trail every minute. It reads the trail and inserts seals; it has no key that
   * decrypts anything.
   */
  #auditSealer(settings: Settings, data: DataStack): LambdaFunction {
    const sealer = new ServiceFunction<AuditSealerEnvironment>(this, 'AuditSealer', {
      folder: 'audit-sealer',
      description: 'Seals the audit trail',
      timeoutSeconds: 58,
      memoryMegabytes: 1_769,
      isScheduled: true,
      settings,
      key: data.key,
      environment: {
        SERVICE_NAME: settings.serviceName,
        AUDIT_TABLE: data.audit.tableName,
        AUDIT_INDEX_TABLE: data.auditIndex.tableName,
        AUDIT_SEALS_TABLE: data.auditSeals.tableName,
        ACCESS_TABLE: data.access.tableName,
        SEAL_KEY_ID: data.sealKey.keyArn,
      },
      grants: [
        allowOnTable(data.audit, ['Query']),
        allowOnTable(data.auditSeals, ['Query', 'PartiQLInsert']),
        allowOnTable(data.auditIndex, ['Query', 'PartiQLInsert']),
        allowOnPartition(data.access, SEAL_HEAD_KEY.pk, ['BatchGetItem', 'PutItem']),
        new PolicyStatement({ actions: ['kms:Sign', 'kms:GetPublicKey'], resources: [data.sealKey.keyArn] }),
      ],
    });
    const everyMinute = new Rule(this, 'SealEveryMinute', {
      description: 'Seals the audit trail',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaTarget(sealer.lambda, { retryAttempts: 0 })],
    });
    acceptFindings(everyMinute, {
      'Serverless-EventBusDLQ': 'The next event comes a minute later and seals all that this one did not.',
    });
    return sealer.lambda;
  }
}
