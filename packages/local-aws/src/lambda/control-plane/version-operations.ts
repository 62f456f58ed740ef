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

/** The calls about published versions and aliases. */
export function versionOperations({ registry, functionArn }: ControlPlane): readonly LambdaOperation[] {
  const own = ({ name }: LambdaRequest): string => functionArn(name);

  async function publish({ call, name }: LambdaRequest): Promise<object> {
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

  function listVersions({ call, name }: LambdaRequest): object {
    const record = registry.get(name);
    const versions = [record.latest, ...record.versions].map(({ version }) =>
      registry.resolve(name, version),
    );
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

  function named({ name, parameters }: LambdaRequest): { record: FunctionRecord; alias: AliasRecord } {
    const record = registry.get(name);
    return { record, alias: aliasOf(record, parameters['Name'] ?? '') };
  }

  async function createAlias({ call, name }: LambdaRequest): Promise<object> {
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

  async function updateAlias(request: LambdaRequest): Promise<object> {
    const body = parseBody('updateAlias', request.call.body);
    const { record, alias } = named(request);
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

  const versions = '/2015-03-31/functions/{FunctionName}/versions';
  const aliases = '/2015-03-31/functions/{FunctionName}/aliases';
  return [
    {
      method: 'POST',
      path: versions,
      action: 'lambda:PublishVersion',
      resource: own,
      respond: async (request) => json(201, await publish(request)),
    },
    {
      method: 'GET',
      path: versions,
      action: 'lambda:ListVersionsByFunction',
      resource: own,
      respond: (request) => json(200, listVersions(request)),
    },
    {
      method: 'POST',
      path: aliases,
      action: 'lambda:CreateAlias',
      resource: own,
      respond: async (request) => json(201, await createAlias(request)),
    },
    {
      method: 'GET',
      path: `${aliases}/{Name}`,
      action: 'lambda:GetAlias',
      resource: own,
      respond: (request) => {
        const { record, alias } = named(request);
        return json(200, presentAlias(record, alias));
      },
    },
    {
      method: 'PUT',
      path: `${aliases}/{Name}`,
      action: 'lambda:UpdateAlias',
      resource: own,
      respond: async (request) => json(200, await updateAlias(request)),
    },
  ];
}
