import { ASSET_PARTS, COMMON_INPUTS } from '../../lib/asset-parts.ts';

/** Templates are made of these. */
const OF_TEMPLATES = [
  'bin/cloakroom.ts',
  'cdk.json',
  'console/headers.ts',
  'functions',
  'lib',
  'packages/fields/headers.ts',
  'packages/local-aws/src/assembly/files-key.ts',
  'packages/local-aws/src/error-code.ts',
  'src',
] as const;

/**
 * The files of the repository, and the environment, that synthesis reads, with those of the assets
 * that every deployment has. Without Node 16: lib names it by its hash.
 */
export const SYNTHESIS_INPUTS = {
  paths: [
    ...new Set([
      ...OF_TEMPLATES,
      ...COMMON_INPUTS,
      ...ASSET_PARTS.functions,
      ...ASSET_PARTS['reactor-layer'],
    ]),
  ].sort(),
  environment: ['CDK_DEFAULT_ACCOUNT', 'CDK_DEFAULT_REGION'],
} as const;
