import type { RoleCredentials } from '../iam/role-registry.ts';
import type { FunctionDefinition } from './function-definition.ts';

/**
 * All environment variables of a function: those of its template, and those of Lambda itself. None
 * of the host's environment. Only `AWS_ENDPOINT_URL` is additional.
 */
export function functionEnvironment(
  definition: FunctionDefinition,
  region: string,
  credentials: RoleCredentials,
  awsEndpointUrl: string,
): Record<string, string> {
  return {
    ...definition.environment,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMb),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_LOG_GROUP_NAME: definition.logGroup,
    AWS_EXECUTION_ENV: `AWS_Lambda_${definition.runtime}`,
    LAMBDA_TASK_ROOT: definition.codeDirectory,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    AWS_ENDPOINT_URL: awsEndpointUrl,
    TZ: ':UTC',
  };
}
