/** A stack, which is in the Region of the deployment unless `region` is set. */
export interface StackPlace {
  readonly name: string;
  readonly region?: string;
}

export interface StackResource {
  readonly logicalId: string;
  readonly physicalId: string;
  readonly type: string;
}

export interface TemplateResource {
  readonly Type: string;
  readonly DeletionPolicy?: string | undefined;
  readonly Properties?: Readonly<Record<string, unknown>> | undefined;
}

/** A stack that exists. */
export interface Stack {
  /** The ARN, which also finds a deleted stack. */
  readonly id: string;
  readonly description: string;
  /** Whether CloudFormation refuses to delete it. */
  readonly isProtected: boolean;
  readonly resources: readonly StackResource[];
  /** The keys are logical ids. */
  readonly template: Readonly<Record<string, TemplateResource>>;
}

export interface StackStatus {
  readonly status: string;
  readonly reason?: string;
}

/** A table that exists. */
export interface TableState {
  /** Both are up to six hours old: DynamoDB counts only then. */
  readonly items: number;
  readonly bytes: number;
  readonly isProtected: boolean;
  readonly isRecoverable: boolean;
  readonly isInfrequent: boolean;
  /** DynamoDB's own word: `ACTIVE`, `UPDATING`, `DELETING`, ... */
  readonly status: string;
  /** The KMS key that encrypts it. */
  readonly keyArn: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

export interface LogGroupState {
  readonly name: string;
  readonly bytes: number;
  /** The KMS key that encrypts it. */
  readonly keyArn: string | undefined;
}

export interface BackupState {
  readonly arn: string;
  readonly tableName: string;
  readonly bytes: number;
  /** Only set if AWS made the backup when the table was deleted. */
  readonly expiresAt?: Date;
}

export interface KeyState {
  readonly id: string;
  readonly use: 'ENCRYPT_DECRYPT' | 'SIGN_VERIFY';
  /** The Regions that have a replica. */
  readonly replicas: readonly string[];
}

export interface TaggedKeys {
  readonly keys: readonly KeyState[];
  /** Keys whose tags the caller may not read. */
  readonly unreadable: number;
}

/** The calls of AWS that a removal needs, with the credentials of an administrator. */
export interface RemovalAccount {
  readonly region: () => Promise<string>;
  /** The time of AWS: the clock of this machine may be wrong. */
  now(): Promise<Date>;
  /** `undefined` if it does not exist, `denied` if the caller may not know. */
  stack(place: StackPlace): Promise<Stack | 'denied' | undefined>;
  /** Finds a stack by its ARN, even a deleted one. */
  stackStatus(place: StackPlace): Promise<StackStatus>;
  deleteStack(place: StackPlace): Promise<void>;
  /** Counts the messages that wait in a queue. */
  messages(queueUrl: string): Promise<number>;
  functionNames(): Promise<readonly string[]>;
  /** The instances of a reactor's function that run all the time. */
  provisioned(functionName: string): Promise<number>;
  /** Ends them: they can prevent the deletion. */
  endProvisioned(functionName: string): Promise<void>;
  /** Whether it is gone: Lambda refuses while an update or a call runs. */
  deleteFunction(name: string): Promise<boolean>;
  layerVersions(layerName: string): Promise<readonly number[]>;
  deleteLayerVersion(layerName: string, version: number): Promise<void>;
  tableNames(): Promise<readonly string[]>;
  /** `undefined` if it does not exist. */
  table(name: string): Promise<TableState | undefined>;
  unprotectTable(name: string): Promise<void>;
  deleteTable(name: string): Promise<void>;
  /** Finds the backups of a deleted table too. */
  backups(tableName: string): Promise<readonly BackupState[]>;
  deleteBackup(arn: string): Promise<void>;
  /** The keys with the tag, without those that await their deletion. */
  keys(tag: string, value: string): Promise<TaggedKeys>;
  /** Returns the public half of a key that signs, in PEM. */
  publicKey(id: string): Promise<string>;
  /** Uses the shortest waiting period that KMS allows: 7 days. */
  scheduleKeyDeletion(id: string): Promise<void>;
  logGroups(prefix: string): Promise<readonly LogGroupState[]>;
  deleteLogGroup(name: string): Promise<void>;
  /** Whether a table has an item whose `ttl` is after a time (s since 1970). */
  hasUnexpired(tableName: string, seconds: number): Promise<boolean>;
  /** Yields the bodies of seals, the newest first; yields nothing if the table does not exist. */
  sealBodies(tableName: string): AsyncIterable<string>;
}
