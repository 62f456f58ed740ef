import { delimiter, join } from 'node:path';
import type { RoleCredentials } from '../../iam/role-registry.ts';
import type { ProcessDefinition } from './process-definition.ts';

export interface ProcessSurroundings {
  readonly region: string;
  readonly credentials: RoleCredentials;
  readonly awsEndpointUrl: string;
  readonly runtimeApi: string;
  readonly temporaryDirectory: string;
}

/**
 * The variables that Lambda sets on `provided.al2023`, and none of this machine. `AWS_ENDPOINT_URL`
 * and `TMPDIR` are added: the AWS endpoint is local, and `/tmp` is shared.
 */
export function processEnvironment(
  definition: ProcessDefinition,
  surroundings: ProcessSurroundings,
): Record<string, string> {
  const { region, credentials } = surroundings;
  const layerPrograms = definition.layerDirectories.map((directory) => join(directory, 'bin'));
  return {
    ...definition.variables,
    AWS_LAMBDA_RUNTIME_API: surroundings.runtimeApi,
    LAMBDA_TASK_ROOT: definition.codeDirectory,
    _HANDLER: definition.handler,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_LAMBDA_FUNCTION_NAME: definition.functionName,
    AWS_LAMBDA_FUNCTION_VERSION: definition.version,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: definition.logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: definition.logStream,
    AWS_EXECUTION_ENV: `AWS_Lambda_${definition.runtime}`,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    AWS_ENDPOINT_URL: surroundings.awsEndpointUrl,
    TMPDIR: surroundings.temporaryDirectory,
    PATH: ['/usr/local/bin', '/usr/bin', '/bin', ...layerPrograms].join(delimiter),
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
  };
}
