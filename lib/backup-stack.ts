import { CfnOutput, Fn, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnBackupPlan, CfnBackupSelection, CfnBackupVault } from 'aws-cdk-lib/aws-backup';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acceptFindings, namesInFindings } from './accept-findings.ts';
import { BACKUP_OUTPUTS } from './deployment-names.ts';
import type { DataStack, NamedTable } from './data-stack.ts';
import type { Settings } from './settings.ts';

export interface BackupStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
}

/**
 * Days that a backup stays beside the tables: it is there to be copied. Each is a whole table, and
 * costs as much.
 */
const STAYS_DAYS = 2;

/** A restore makes its copies under these names (bin/operator/restore/restore-beside.ts). */
const COPIES = '-at-*';

/**
 * Copies of the tables in a vault of another Region or account, once a day. It is a stack of its
 * own: nothing of AWS Backup can stop a deployment of the service, and none exists without the
 * setting (docs/decisions/0095).
 */
export class BackupStack extends Stack {
  readonly #tables: readonly NamedTable[];

  constructor(scope: Construct, id: string, { settings, data, ...props }: BackupStackProps) {
    super(scope, id, props);
    // A cvc that a backup still has is not deleted, so Ephemeral is not among them (PCI DSS 3.3.1).
    this.#tables = data.backedUp;
    const vault = this.#vault(settings);
    this.#plan(settings, vault, this.#backupRole(settings, data, vault));
    const restoring = this.#restoreRole(data);
    new CfnOutput(this, BACKUP_OUTPUTS.vault, {
      value: vault.ref,
      description: 'The vault beside the tables, into which copies are copied back',
    });
    new CfnOutput(this, BACKUP_OUTPUTS.role, {
      value: restoring.roleArn,
      description: 'The role that AWS Backup restores with',
    });
  }

  /**
   * Its name is that of no former stack: a vault with backups outlives its stack, and has its name.
   * Its key is that of AWS Backup, so that another account that copies from it needs no right on
   * the key of the service.
   */
  #vault({ serviceName }: Settings): CfnBackupVault {
    const stackId = Fn.select(2, Fn.split('/', this.stackId));
    const vault = new CfnBackupVault(this, 'Vault', {
      backupVaultName: Fn.join('-', [serviceName, Fn.select(0, Fn.split('-', stackId))]),
    });
    vault.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return vault;
  }

  #plan(settings: Settings, vault: CfnBackupVault, role: Role): void {
    const plan = new CfnBackupPlan(this, 'Plan', {
      backupPlan: {
        backupPlanName: `${settings.serviceName}-daily`,
        backupPlanRule: [
          {
            ruleName: 'Daily',
            targetBackupVault: vault.ref,
            scheduleExpression: 'cron(0 3 * * ? *)',
            startWindowMinutes: 60,
            completionWindowMinutes: 720,
            lifecycle: { deleteAfterDays: Math.min(STAYS_DAYS, settings.backupRetentionDays) },
            copyActions: [
              {
                destinationBackupVaultArn: settings.backupCopyTo,
                lifecycle: { deleteAfterDays: settings.backupRetentionDays },
              },
            ],
          },
        ],
      },
    });
    new CfnBackupSelection(this, 'Tables', {
      backupPlanId: plan.attrBackupPlanId,
      backupSelection: {
        selectionName: 'Tables',
        iamRoleArn: role.roleArn,
        // By name: a tag would also select tables of other deployments in the account, and nothing
        // if the account has not opted in (AWS Backup Developer Guide, Service opt-in).
        resources: this.#tables.map(({ tableArn }) => tableArn),
      },
    });
  }

  /** Reads the tables, and writes the copies. */
  #backupRole({ backupCopyTo }: Settings, data: DataStack, vault: CfnBackupVault): Role {
    const role = this.#roleOf('BackupRole', 'AWS Backup copies the tables of Cloakroom');
    const tables = this.#tables.map(({ tableArn }) => tableArn);
    this.#allow(
      role,
      ['dynamodb:DescribeTable', 'dynamodb:ListTagsOfResource', 'dynamodb:StartAwsBackupJob'],
      tables,
    );
    this.#allow(
      role,
      ['backup:CopyFromBackupVault', 'backup:CopyIntoBackupVault', 'backup:DescribeBackupVault'],
      [vault.attrBackupVaultArn, backupCopyTo],
    );
    this.#allowKey(role, data);
    return role;
  }

  /** Makes tables of backups: copies beside the tables, and a table that is gone. */
  #restoreRole(data: DataStack): Role {
    const role = this.#roleOf('RestoreRole', 'AWS Backup restores tables of Cloakroom');
    this.#allow(
      role,
      [
        'dynamodb:RestoreTableFromAwsBackup',
        'dynamodb:DescribeTable',
        'dynamodb:Scan',
        'dynamodb:Query',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
        'dynamodb:BatchWriteItem',
      ],
      this.#tables.flatMap(({ tableArn }) => [tableArn, `${tableArn}${COPIES}`]),
    );
    this.#allowKey(role, data);
    const { partition, region, account } = namesInFindings(this);
    for (const { tableName } of this.#tables)
      acceptFindings(role, {
        [`AwsSolutions-IAM5[Resource::arn:${partition}:dynamodb:${region}:${account}:table/${tableName}${COPIES}]`]:
          'A restore makes copies whose names begin with that of the table, and end with its time.',
      });
    return role;
  }

  #roleOf(id: string, description: string): Role {
    const role = new Role(this, id, { description, assumedBy: new ServicePrincipal('backup.amazonaws.com') });
    acceptFindings(role, {
      'PCI.DSS.321-IAMNoInlinePolicy': 'The policy is written for this role alone, whose tables it names.',
    });
    return role;
  }

  #allow(role: Role, actions: readonly string[], resources: readonly string[]): void {
    role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
  }

  /** The tables are encrypted with the key, and so is each table that is made of a backup. */
  #allowKey(role: Role, { key }: DataStack): void {
    const through = ['dynamodb', 'backup'].map((service) => `${service}.${this.region}.amazonaws.com`);
    role.addToPolicy(
      new PolicyStatement({
        actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
        resources: [key.keyArn],
        conditions: { StringEquals: { 'kms:ViaService': through } },
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: ['kms:CreateGrant'],
        resources: [key.keyArn],
        conditions: { Bool: { 'kms:GrantIsForAWSResource': 'true' } },
      }),
    );
  }
}
