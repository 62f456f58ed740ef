/**
 * The files of the repository, and the environment, that synthesis reads. Without Node 16: the
 * layer's source names it by its hash.
 */
export const SYNTHESIS_INPUTS = {
  paths: [
    'bin/cloakroom.ts',
    'cdk.json',
    'console/headers.ts',
    'functions',
    'lib',
    'node_modules/.package-lock.json',
    'package-lock.json',
    'package.json',
    'packages/fields/headers.ts',
    'packages/sdk/package.json',
    'packages/sdk/src',
    'packages/sdk/tsconfig.json',
    'reactor-runtime',
    'src',
    'tools/tsconfig.base.json',
    'tsconfig.json',
  ],
  environment: ['CDK_DEFAULT_ACCOUNT', 'CDK_DEFAULT_REGION'],
} as const;
