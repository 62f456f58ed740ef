import type { Layer, LayerTable } from '../layer-table.ts';
import { json, noContent, type LambdaOperation, type LambdaRequest } from './lambda-operation.ts';

const present = ({ arn, description = '', createdAt }: Layer) => ({
  LayerVersionArn: arn,
  Version: Number(arn.slice(arn.lastIndexOf(':') + 1)),
  Description: description,
  CreatedDate: createdAt?.replace('Z', '+0000'),
});

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
      respond: (request) => json(200, { LayerVersions: layers.versions(nameOf(request)).map(present) }),
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
