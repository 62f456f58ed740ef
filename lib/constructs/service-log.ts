import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { logRetention } from '../log-retention.ts';

/** A log with a retention that outlives its stack and is encrypted with the service's key. */
export class ServiceLog extends LogGroup {
  constructor(scope: Construct, id: string, { key, retentionDays }: { key: IKey; retentionDays: number }) {
    super(scope, id, {
      encryptionKey: key,
      retention: logRetention(retentionDays),
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
