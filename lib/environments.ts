import type { LayerVersion } from 'aws-cdk-lib/aws-lambda';
import { IMAGES, type Image } from '../src/core/reactors/layer.ts';
import type { DataStack } from './data-stack.ts';
import { edgeSecretValues } from './edge-secret-values.ts';
import type { Settings } from './settings.ts';

/*
 * Variables that several functions have, as in their `config.ts` (`src/lambda/environment.ts`,
 * `src/http/api-environment.ts`); the types of the constructs compare them.
 */

/** The stores of keys and credentials. */
export const storeEnvironment = ({ access, ephemeral, key }: DataStack) => ({
  ACCESS_TABLE: access.tableName,
  EPHEMERAL_TABLE: ephemeral.tableName,
  KEY_ID: key.keyArn,
});

/** The stores of tokens, in addition to {@link storeEnvironment}. */
export const tokenEnvironment = ({ tokens }: DataStack) => ({ TOKENS_TABLE: tokens.tableName });

/** Needed by functions that write to the audit trail or read it. */
export const auditEnvironment = (settings: Settings, { audit }: DataStack) => ({
  AUDIT_TABLE: audit.tableName,
  AUDIT_RETENTION_DAYS: String(settings.auditRetentionDays),
  SERVICE_NAME: settings.serviceName,
});

/** `npm start` redirects a path to its documentation; no deployment does. */
function docsUrl(settings: Settings, { node }: DataStack): string {
  const path: unknown = node.tryGetContext('cloakroom:docs-path');
  return settings.docsUrl === '' && typeof path === 'string' ? path : settings.docsUrl;
}

export const apiEnvironment = (settings: Settings, data: DataStack) => ({
  ...storeEnvironment(data),
  ...auditEnvironment(settings, data),
  CLIENT_COMPATIBILITY: settings.clientCompatibility,
  HEADER_PREFIXES: settings.headerPrefixes.join(','),
  DOCS_URL: docsUrl(settings, data),
  EDGE_SECRET: edgeSecretValues(settings, data.edgeSecret).join(','),
});

/** The address at which the code of reactors calls the service; empty for the gateway's own. */
export const publicUrl = ({ domainName }: Settings): string =>
  domainName === '' ? '' : `https://${domainName}`;

/** The version of the layer that a deployment publishes, and the hash of its content. */
export interface PresentLayer {
  readonly version: LayerVersion;
  readonly hash: string;
}

/** The tags of the deployment, which functions of the service give to those of reactors. */
export const tagEnvironment = ({ tags }: Settings) => ({ RESOURCE_TAGS: tags.join(',') });

/** A text for each image, as the functions read it (`src/lambda/layer-environment.ts`). */
export const perImage = (textOf: (image: Image) => string): string =>
  IMAGES.map((image) => `${image}=${textOf(image)}`).join(',');

export type PresentLayers = Readonly<Record<Image, PresentLayer>>;

/** The hashes of the layers: texts, so that no stack reads the output of another one. */
export const layerEnvironment = (layers: PresentLayers) => ({
  REACTOR_LAYER_HASHES: perImage((image) => layers[image].hash),
});
