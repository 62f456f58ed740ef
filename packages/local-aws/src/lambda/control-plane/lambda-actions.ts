/** The actions of the calls that run locally, as IAM names them. */
export const LAMBDA_ACTIONS = [
  'CreateAlias',
  'CreateFunction',
  'DeleteFunction',
  'DeleteFunctionConcurrency',
  'DeleteLayerVersion',
  'DeleteProvisionedConcurrencyConfig',
  'GetAccountSettings',
  'GetAlias',
  'GetFunction',
  'GetFunctionConcurrency',
  'GetFunctionConfiguration',
  'GetProvisionedConcurrencyConfig',
  'InvokeFunction',
  'ListFunctions',
  'ListLayerVersions',
  'ListProvisionedConcurrencyConfigs',
  'ListVersionsByFunction',
  'PublishVersion',
  'PutFunctionConcurrency',
  'PutProvisionedConcurrencyConfig',
  'TagResource',
  'UpdateAlias',
  'UpdateFunctionCode',
  'UpdateFunctionConfiguration',
] as const;

export type LambdaAction = (typeof LAMBDA_ACTIONS)[number];
