import type { LayerTable } from '../layer-table.ts';
import { json, noContent, type LambdaOperation, type LambdaRequest } from './lambda-operation.ts';

/** The calls about versions of layers, which only templates create. */
export function layerOperations(
  layers: LayerTable,
  layerArn: (name: string) => string,
): readonly LambdaOperation[] {
  const nameOf = ({ parameters }: LambdaRequest): string => parameters['LayerName'] ?? '';
  const versionArn = (request: LambdaRequest): string =>
    `${layerArn(nameOf(request))}:${request.parameters['VersionNumber'] ?? ''}`;
  const path = '/2018-10-31/layers/{LayerName}/versions';
  return [
    {
      method: 'GET',
      path,
      action: 'lambda:ListLayerVersions',
      resource: (request) => layerArn(nameOf(request)),
      respond: (request) => {
        const versions = layers.versions(nameOf(request)).map((arn) => ({
          LayerVersionArn: arn,
          Version: Number(arn.slice(arn.lastIndexOf(':') + 1)),
        }));
        return json(200, { LayerVersions: versions });
      },
    },
    {
      method: 'DELETE',
      path: `${path}/{VersionNumber}`,
      action: 'lambda:DeleteLayerVersion',
      resource: versionArn,
      respond: (request) => {
        layers.remove(versionArn(request));
        return noContent;
      },
    },
  ];
}
