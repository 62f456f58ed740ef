import type { FoundVersion, FunctionRegistry } from './function-registry.ts';
import type { AliasRecord, FunctionRecord, ProvisionedRecord } from './function-record.ts';

/** Formats Lambda's responses about functions that CreateFunction created. */

function stateMembers(registry: FunctionRegistry, { record, version }: FoundVersion): object {
  const state = registry.state(record, version);
  const updating = registry.isUpdating(version);
  return {
    State: state,
    ...(state === 'Pending' && {
      StateReason: 'The function is being created.',
      StateReasonCode: 'Creating',
    }),
    ...(state === 'Inactive' && {
      StateReason: 'The function was idle for too long.',
      StateReasonCode: 'Idle',
    }),
    // A function that is being created has had no update.
    ...(state !== 'Pending' && { LastUpdateStatus: updating ? 'InProgress' : 'Successful' }),
    ...(updating && {
      LastUpdateStatusReason: 'The function is being updated.',
      LastUpdateStatusReasonCode: 'Creating',
    }),
  };
}

export function presentConfiguration(registry: FunctionRegistry, found: FoundVersion): object {
  const { record, version, arn } = found;
  const { settings } = version;
  return {
    FunctionName: record.name,
    FunctionArn: arn,
    Runtime: settings.runtime,
    Role: settings.role,
    Handler: settings.handler,
    CodeSize: settings.codeSize,
    CodeSha256: settings.codeSha256,
    Description: settings.description,
    Timeout: settings.timeoutSeconds,
    MemorySize: settings.memoryMb,
    LastModified: version.lastModified,
    Version: version.version,
    RevisionId: version.revisionId,
    Layers: settings.layers.map((layer) => ({ Arn: layer })),
    PackageType: 'Zip',
    Architectures: settings.architectures,
    EphemeralStorage: { Size: settings.ephemeralStorageMb },
    TracingConfig: { Mode: 'PassThrough' },
    LoggingConfig: { LogFormat: 'Text', LogGroup: settings.logGroup },
    ...(Object.keys(settings.environment).length > 0 && { Environment: { Variables: settings.environment } }),
    ...stateMembers(registry, found),
  };
}

export function presentFunction(registry: FunctionRegistry, found: FoundVersion): object {
  const { sourceKmsKeyArn } = found.version.settings;
  const { tags } = found.record;
  return {
    Configuration: presentConfiguration(registry, found),
    Code: {
      RepositoryType: 'S3',
      ...(sourceKmsKeyArn !== undefined && { SourceKMSKeyArn: sourceKmsKeyArn }),
    },
    ...(Object.keys(tags).length > 0 && { Tags: tags }),
  };
}

export function presentAlias(record: FunctionRecord, alias: AliasRecord): object {
  return {
    AliasArn: `${record.arn}:${alias.name}`,
    Name: alias.name,
    FunctionVersion: alias.functionVersion,
    Description: alias.description,
    RevisionId: alias.revisionId,
  };
}

export function presentProvisioned(
  { time }: FunctionRegistry,
  { instances, lastModified, readyFrom }: ProvisionedRecord,
): object {
  const ready = readyFrom <= time.now();
  return {
    RequestedProvisionedConcurrentExecutions: instances,
    AvailableProvisionedConcurrentExecutions: ready ? instances : 0,
    AllocatedProvisionedConcurrentExecutions: ready ? instances : 0,
    Status: ready ? 'READY' : 'IN_PROGRESS',
    LastModified: lastModified,
  };
}
