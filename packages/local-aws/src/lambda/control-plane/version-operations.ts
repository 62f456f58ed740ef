import { randomUUID } from 'node:crypto';
import type { AliasRecord, FunctionRecord } from './function-record.ts';
import { checkRevision, conflict, invalidParameter, notFound } from './lambda-failures.ts';
import {
  json,
  page,
  type ControlPlane,
  type LambdaOperation,
  type LambdaRequest,
} from './lambda-operation.ts';
import { presentAlias, presentConfiguration } from './present.ts';
import { publishVersion } from './publish-version.ts';
import { parseBody } from './requests.ts';

const own = ({ functionArn }: ControlPlane, { name }: LambdaRequest): string => functionArn(name);

async function publish({ registry }: ControlPlane, { call, name }: LambdaRequest): Promise<object> {
  const body = parseBody('publishVersion', call.body);
  const record = registry.get(name);
  checkRevision(body.RevisionId, record.latest.revisionId, 'GetFunction');
  registry.requireUpdatable(record);
  const { codeSha256 } = record.latest.settings;
  if (body.CodeSha256 !== undefined && body.CodeSha256 !== codeSha256)
    throw invalidParameter(
      `CodeSHA256 (${body.CodeSha256}) is different from current CodeSHA256 in $LATEST (${codeSha256}). Please try again with the CodeSHA256 in $LATEST.`,
    );
  const published = publishVersion(registry, record, body.Description);
  await registry.put(published.record);
  return presentConfiguration(registry, registry.resolve(name, published.version.version));
}

function listVersions({ registry }: ControlPlane, { call, name }: LambdaRequest): object {
  const record = registry.get(name);
  const versions = [record.latest, ...record.versions].map(({ version }) => registry.resolve(name, version));
  const { items, next } = page(versions, call.query);
  return { ...next, Versions: items.map((one) => presentConfiguration(registry, one)) };
}

function requireVersion(record: FunctionRecord, version: string): void {
  if (version !== '$LATEST' && !record.versions.some((one) => one.version === version))
    throw notFound(`Function not found: ${record.arn}:${version}`);
}

function aliasOf(record: FunctionRecord, name: string): AliasRecord {
  const alias = record.aliases.find((one) => one.name === name);
  if (alias === undefined) throw notFound(`Cannot find alias arn: ${record.arn}:${name}`);
  return alias;
}

function named(
  { registry }: ControlPlane,
  { name, parameters }: LambdaRequest,
): { record: FunctionRecord; alias: AliasRecord } {
  const record = registry.get(name);
  return { record, alias: aliasOf(record, parameters['Name'] ?? '') };
}

async function createAlias({ registry }: ControlPlane, { call, name }: LambdaRequest): Promise<object> {
  const body = parseBody('createAlias', call.body);
  const record = registry.get(name);
  requireVersion(record, body.FunctionVersion);
  if (record.aliases.some((alias) => alias.name === body.Name))
    throw conflict(`Alias already exists: ${record.arn}:${body.Name}`);
  const alias: AliasRecord = {
    name: body.Name,
    functionVersion: body.FunctionVersion,
    description: body.Description,
    revisionId: randomUUID(),
  };
  await registry.put({ ...record, aliases: [...record.aliases, alias] });
  return presentAlias(record, alias);
}

async function updateAlias(controlPlane: ControlPlane, request: LambdaRequest): Promise<object> {
  const { registry } = controlPlane;
  const body = parseBody('updateAlias', request.call.body);
  const { record, alias } = named(controlPlane, request);
  checkRevision(body.RevisionId, alias.revisionId, 'GetAlias');
  const updated: AliasRecord = {
    ...alias,
    functionVersion: body.FunctionVersion ?? alias.functionVersion,
    description: body.Description ?? alias.description,
    revisionId: randomUUID(),
  };
  requireVersion(record, updated.functionVersion);
  await registry.put({
    ...record,
    aliases: record.aliases.map((one) => (one.name === alias.name ? updated : one)),
  });
  return presentAlias(record, updated);
}

/** The calls about published versions and aliases. */
export function versionOperations(controlPlane: ControlPlane): readonly LambdaOperation[] {
  const versions = '/2015-03-31/functions/{FunctionName}/versions';
  const aliases = '/2015-03-31/functions/{FunctionName}/aliases';
  return [
    {
      method: 'POST',
      path: versions,
      action: 'lambda:PublishVersion',
      resource: (value) => own(controlPlane, value),
      respond: async (request) => json(201, await publish(controlPlane, request)),
    },
    {
      method: 'GET',
      path: versions,
      action: 'lambda:ListVersionsByFunction',
      resource: (value) => own(controlPlane, value),
      respond: (request) => json(200, listVersions(controlPlane, request)),
    },
    {
      method: 'POST',
      path: aliases,
      action: 'lambda:CreateAlias',
      resource: (value) => own(controlPlane, value),
      respond: async (request) => json(201, await createAlias(controlPlane, request)),
    },
    {
      method: 'GET',
      path: `${aliases}/{Name}`,
      action: 'lambda:GetAlias',
      resource: (value) => own(controlPlane, value),
      respond: (request) => {
        const { record, alias } = named(controlPlane, request);
        return json(200, presentAlias(record, alias));
      },
    },
    {
      method: 'PUT',
      path: `${aliases}/{Name}`,
      action: 'lambda:UpdateAlias',
      resource: (value) => own(controlPlane, value),
      respond: async (request) => json(200, await updateAlias(controlPlane, request)),
    },
  ];
}
