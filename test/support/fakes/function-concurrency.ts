import { LambdaClient } from '@aws-sdk/client-lambda';
import type { Cut } from '../in-process-dynamodb.ts';

interface Concurrency {
  reserved?: number | undefined;
  provisioned: Record<string, number>;
}

/** The calls of Lambda that a restore makes, on three functions of the service and one other. */
export function functionConcurrency(
  tables: readonly string[],
  fate: (operation: string) => Cut = () => undefined,
) {
  const environment = {
    ...Object.fromEntries(tables.map((name) => [`${name.toUpperCase()}_TABLE`, name])),
    KEY_ID: 'arn:aws:kms:eu-west-1:123456789012:key/1',
  };
  const functions: Record<string, Concurrency> = {
    'Cloakroom-operator': { provisioned: {} },
    'Cloakroom-sealer': { reserved: 1, provisioned: {} },
    'Cloakroom-tokens': { reserved: 9, provisioned: { live: 3 } },
    other: { provisioned: {} },
  };
  const at = (name: string) => functions[name] ?? { provisioned: {} };
  const answers: Record<string, (input: any) => object> = {
    GetFunctionConfiguration: () => ({ Environment: { Variables: environment } }),
    ListFunctions: () => ({
      Functions: Object.keys(functions).map((FunctionName) => ({
        FunctionName,
        ...(FunctionName !== 'other' && { Environment: { Variables: environment } }),
      })),
    }),
    GetFunctionConcurrency: ({ FunctionName }) => ({
      ReservedConcurrentExecutions: at(FunctionName).reserved,
    }),
    ListProvisionedConcurrencyConfigs: ({ FunctionName }) => ({
      ProvisionedConcurrencyConfigs: Object.entries(at(FunctionName).provisioned).map(([alias, count]) => ({
        FunctionArn: `arn:aws:lambda:x:y:function:${FunctionName as string}:${alias}`,
        RequestedProvisionedConcurrentExecutions: count,
      })),
    }),
    PutFunctionConcurrency: ({ FunctionName, ReservedConcurrentExecutions: count }) => {
      const total = Object.values(at(FunctionName).provisioned).reduce((sum, each) => sum + each, 0);
      if (count < total) throw new Error('reserves less than its provisioned concurrency');
      at(FunctionName).reserved = count;
      return {};
    },
    DeleteFunctionConcurrency: ({ FunctionName }) => {
      at(FunctionName).reserved = undefined;
      return {};
    },
    DeleteProvisionedConcurrencyConfig: ({ FunctionName, Qualifier }) => {
      Reflect.deleteProperty(at(FunctionName).provisioned, Qualifier as string);
      return {};
    },
    PutProvisionedConcurrencyConfig: ({
      FunctionName,
      Qualifier,
      ProvisionedConcurrentExecutions: count,
    }) => {
      at(FunctionName).provisioned[Qualifier] = count;
      return {};
    },
  };
  const send = async (command: {
    readonly constructor: { readonly name: string };
    readonly input: object;
  }) => {
    const operation = command.constructor.name.replace('Command', '');
    const answer = answers[operation];
    if (answer === undefined) throw new Error(`Lambda has no ${operation} here`);
    const cut = fate(operation);
    if (cut === 'before') throw new Error('the network was cut off');
    const response = answer(command.input);
    if (cut === 'after') throw new Error('the network was cut off');
    return await Promise.resolve(response);
  };
  const client = Object.assign(new LambdaClient({ region: 'eu-west-1' }), { send });
  return { functions, client: client as unknown as LambdaClient };
}
