import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Environment as OperatorEnvironment } from '../functions/operator/config.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import type { DataStack } from './data-stack.ts';
import { allowOnTable, allowTenantKeys } from './grants.ts';
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
    new CfnOutput(this, 'OperatorFunctionName', {
      value: operator.lambda.functionName,
      description: 'Invoked by npm run operator',
    });
  }
}
