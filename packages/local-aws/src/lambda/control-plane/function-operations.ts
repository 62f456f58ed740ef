import type { AwsAccess } from '../../aws-service.ts';
import { parseFunctionName } from '../function-name.ts';
import { codeDigest, readArchive } from './code-archive.ts';
import type { FunctionRecord, VersionSettings } from './function-record.ts';
import { checkRevision, conflict, invalidParameter, notFound } from './lambda-failures.ts';
import {
  json,
  noContent,
  type ControlPlane,
  type LambdaOperation,
  type LambdaRequest,
} from './lambda-operation.ts';
import { presentConfiguration } from './present.ts';
import { publishVersion } from './publish-version.ts';
import { parseBody, type RequestOf } from './requests.ts';

function tagContext(tags: Readonly<Record<string, string>>): NonNullable<AwsAccess['context']> {
  const names = Object.keys(tags);
  if (names.length === 0) return {};
  const values = names.map((name): [string, string] => [`aws:RequestTag/${name}`, tags[name] ?? '']);
  return { ...Object.fromEntries(values), 'aws:TagKeys': names };
}

function passRole(role: string): AwsAccess {
  return {
    action: 'iam:PassRole',
    resource: role,
    context: { 'iam:PassedToService': 'lambda.amazonaws.com' },
  };
}

function getLayers(layers: readonly string[]): readonly AwsAccess[] {
  return layers.map((resource) => ({ action: 'lambda:GetLayerVersion', resource }));
}

function codeSettings(zip: Buffer): Pick<VersionSettings, 'codeSha256' | 'codeSize'> {
  return { codeSha256: codeDigest(zip), codeSize: zip.length };
}

function newSettings(body: RequestOf<'createFunction'>): VersionSettings {
  const { SourceKMSKeyArn } = body.Code;
  return {
    ...codeSettings(body.Code.ZipFile),
    ...(SourceKMSKeyArn !== undefined && { sourceKmsKeyArn: SourceKMSKeyArn }),
    role: body.Role,
    runtime: body.Runtime,
    handler: body.Handler,
    timeoutSeconds: body.Timeout,
    memoryMb: body.MemorySize,
    architectures: body.Architectures,
    layers: body.Layers,
    environment: body.Environment.Variables,
    ephemeralStorageMb: body.EphemeralStorage.Size,
    logGroup: body.LoggingConfig.LogGroup ?? `/aws/lambda/${body.FunctionName}`,
    description: body.Description,
  };
}

// oxlint-disable-next-line complexity -- each member has one default; there is no branch to follow
function changedSettings(
  settings: VersionSettings,
  body: RequestOf<'updateFunctionConfiguration'>,
): VersionSettings {
  return {
    ...settings,
    role: body.Role ?? settings.role,
    runtime: body.Runtime ?? settings.runtime,
    handler: body.Handler ?? settings.handler,
    timeoutSeconds: body.Timeout ?? settings.timeoutSeconds,
    memoryMb: body.MemorySize ?? settings.memoryMb,
    layers: body.Layers ?? settings.layers,
    environment: body.Environment?.Variables ?? settings.environment,
    ephemeralStorageMb: body.EphemeralStorage?.Size ?? settings.ephemeralStorageMb,
    logGroup: body.LoggingConfig?.LogGroup ?? settings.logGroup,
    description: body.Description ?? settings.description,
  };
}

const own = ({ functionArn }: ControlPlane, { name }: LambdaRequest): string => functionArn(name);

const createBody = ({ call }: LambdaRequest): RequestOf<'createFunction'> =>
  parseBody('createFunction', call.body);

const updateBody = ({ call }: LambdaRequest): RequestOf<'updateFunctionConfiguration'> =>
  parseBody('updateFunctionConfiguration', call.body);

function checkSettings(
  controlPlane: ControlPlane,
  { role, layers, sourceKmsKeyArn }: VersionSettings,
  arn: string,
): void {
  if (!controlPlane.canAssume(role))
    throw invalidParameter('The role defined for the function cannot be assumed by Lambda.');
  const layer = layers.find((one) => !controlPlane.isLayer(one));
  if (layer !== undefined) throw invalidParameter(`Layer version ${layer} does not exist.`);
  if (sourceKmsKeyArn !== undefined && !controlPlane.canEncrypt(sourceKmsKeyArn, arn))
    throw invalidParameter(
      `Lambda was unable to configure access to your code because KMS access was denied. Please check the policy of the key ${sourceKmsKeyArn}.`,
    );
}

async function create(controlPlane: ControlPlane, request: LambdaRequest): Promise<object> {
  const { registry, functionArn } = controlPlane;
  const body = createBody(request);
  const name = body.FunctionName;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw invalidParameter(`${name} is no name of a function.`);
  if (registry.find(name) !== undefined || controlPlane.isTemplateFunction(name))
    throw conflict(`Function already exist: ${name}`);
  const arn = functionArn(name);
  const settings = newSettings(body);
  readArchive(body.Code.ZipFile);
  checkSettings(controlPlane, settings, arn);
  const made: FunctionRecord = {
    name,
    arn,
    latest: registry.versionOf(settings, '$LATEST'),
    versions: [],
    lastVersion: 0,
    aliases: [],
    provisioned: [],
    tags: body.Tags,
  };
  const { record, version } = body.Publish
    ? publishVersion(registry, made)
    : { record: made, version: undefined };
  await registry.put(record, body.Code.ZipFile);
  return presentConfiguration(registry, registry.resolve(name, version?.version));
}

async function update(
  controlPlane: ControlPlane,
  record: FunctionRecord,
  settings: VersionSettings,
  { publish, zip }: { readonly publish: boolean; readonly zip?: Uint8Array },
): Promise<object> {
  const { registry } = controlPlane;
  checkSettings(controlPlane, settings, record.arn);
  const latest = registry.versionOf(settings, '$LATEST', record.latest);
  const updated = { ...record, latest };
  const published = publish ? publishVersion(registry, updated) : { record: updated, version: undefined };
  await registry.put(published.record, zip);
  return presentConfiguration(registry, registry.resolve(record.name, published.version?.version));
}

async function updateCode(controlPlane: ControlPlane, { call, name }: LambdaRequest): Promise<object> {
  const { registry } = controlPlane;
  const body = parseBody('updateFunctionCode', call.body);
  const record = registry.get(name);
  checkRevision(body.RevisionId, record.latest.revisionId, 'GetFunction');
  registry.requireUpdatable(record);
  readArchive(body.ZipFile);
  const { sourceKmsKeyArn: _before, ...settings } = record.latest.settings;
  return await update(
    controlPlane,
    record,
    {
      ...settings,
      ...codeSettings(body.ZipFile),
      ...(body.SourceKMSKeyArn !== undefined && { sourceKmsKeyArn: body.SourceKMSKeyArn }),
      architectures: body.Architectures ?? settings.architectures,
    },
    { publish: body.Publish, zip: body.ZipFile },
  );
}

async function updateConfiguration(controlPlane: ControlPlane, request: LambdaRequest): Promise<object> {
  const { registry } = controlPlane;
  const body = updateBody(request);
  const record = registry.get(request.name);
  checkRevision(body.RevisionId, record.latest.revisionId, 'GetFunction');
  registry.requireUpdatable(record);
  return await update(controlPlane, record, changedSettings(record.latest.settings, body), {
    publish: false,
  });
}

async function deleteVersion(
  { registry }: ControlPlane,
  record: FunctionRecord,
  version: string,
): Promise<void> {
  if (version === '$LATEST')
    throw invalidParameter('$LATEST version cannot be deleted without deleting the function.');
  if (!/^\d+$/.test(version))
    throw invalidParameter('Deletion of aliases is not currently supported with this API.');
  if (!record.versions.some((one) => one.version === version))
    throw notFound(`Function not found: ${record.arn}:${version}`);
  const aliases = record.aliases.filter(({ functionVersion }) => functionVersion === version);
  if (aliases.length > 0) {
    const names = aliases.map(({ name }) => `${record.arn}:${name}`).join(', ');
    throw conflict(
      `Version ${version} of function ${record.name} is referenced by aliases [${names}]. Remove the aliases before deleting the version.`,
    );
  }
  await registry.put({
    ...record,
    versions: record.versions.filter((one) => one.version !== version),
    provisioned: record.provisioned.filter(({ qualifier }) => qualifier !== version),
  });
}

/** The calls that create, describe, change and delete functions. */
export function functionOperations(controlPlane: ControlPlane): readonly LambdaOperation[] {
  const { registry, functionArn } = controlPlane;

  const functions = '/2015-03-31/functions';
  return [
    {
      method: 'POST',
      path: functions,
      action: 'lambda:CreateFunction',
      resource: (request) => functionArn(createBody(request).FunctionName),
      context: (request) => {
        const { Layers, Tags } = createBody(request);
        return { ...tagContext(Tags), ...(Layers.length > 0 && { 'lambda:Layer': Layers }) };
      },
      also: (request) => {
        const { FunctionName, Role, Layers, Tags } = createBody(request);
        const resource = functionArn(FunctionName);
        const tagging = { action: 'lambda:TagResource', resource, context: tagContext(Tags) };
        return [passRole(Role), ...getLayers(Layers), ...(Object.keys(Tags).length > 0 ? [tagging] : [])];
      },
      respond: async (request) => json(201, await create(controlPlane, request)),
    },
    {
      method: 'PUT',
      path: `${functions}/{FunctionName}/code`,
      action: 'lambda:UpdateFunctionCode',
      resource: (value) => own(controlPlane, value),
      respond: async (request) => json(200, await updateCode(controlPlane, request)),
    },
    {
      method: 'PUT',
      path: `${functions}/{FunctionName}/configuration`,
      action: 'lambda:UpdateFunctionConfiguration',
      resource: (value) => own(controlPlane, value),
      context: (request) => {
        const { Layers = [] } = updateBody(request);
        return Layers.length > 0 ? { 'lambda:Layer': Layers } : {};
      },
      also: (request) => {
        const { Role, Layers = [] } = updateBody(request);
        return [...(Role === undefined ? [] : [passRole(Role)]), ...getLayers(Layers)];
      },
      respond: async (request) => json(200, await updateConfiguration(controlPlane, request)),
    },
    {
      method: 'POST',
      path: '/2017-03-31/tags/{Resource}',
      action: 'lambda:TagResource',
      resource: ({ parameters: { Resource = '' } }) => Resource,
      context: ({ call }) => tagContext(parseBody('tagResource', call.body).Tags),
      respond: async ({ call, parameters: { Resource = '' } }) => {
        const record = registry.get(parseFunctionName(Resource).name);
        const { Tags } = parseBody('tagResource', call.body);
        await registry.put({ ...record, tags: { ...record.tags, ...Tags } });
        return noContent;
      },
    },
    {
      method: 'DELETE',
      path: `${functions}/{FunctionName}`,
      action: 'lambda:DeleteFunction',
      resource: ({ name, qualifier }) => functionArn(name) + (qualifier === undefined ? '' : `:${qualifier}`),
      respond: async ({ name, qualifier }) => {
        const record = registry.get(name);
        if (qualifier === undefined) await registry.delete(name);
        else await deleteVersion(controlPlane, record, qualifier);
        return noContent;
      },
    },
  ];
}
