import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createFunctionHost,
  type FunctionHost,
  type FunctionHostOptions,
} from '../../src/lambda/function-host.ts';
import type { FunctionDefinition } from '../../src/lambda/function-definition.ts';

/** The function has this code as its `index.mjs`. */
export function aFunction(code: string, parts: Partial<FunctionDefinition> = {}): FunctionDefinition {
  const codeDirectory = mkdtempSync(join(tmpdir(), 'function-'));
  writeFileSync(join(codeDirectory, 'index.mjs'), code);
  return {
    name: 'fn',
    arn: 'arn:aws:lambda:us-east-1:000000000000:function:fn',
    handler: 'index.handler',
    runtime: 'nodejs24.x',
    codeDirectory,
    environment: {},
    timeoutSeconds: 600,
    memoryMb: 128,
    roleArn: 'arn:aws:iam::000000000000:role/fn',
    logGroup: '/aws/lambda/fn',
    ...parts,
  };
}

/** A host that runs the functions; `printed` collects their output. */
export function aHost(
  functions: readonly FunctionDefinition[],
  options: Partial<FunctionHostOptions> = {},
): FunctionHost & { readonly printed: string[] } {
  const printed: string[] = [];
  const host = createFunctionHost({
    region: 'us-east-1',
    credentialsFor: (roleArn) => ({
      accessKeyId: `key of ${roleArn}`,
      secretAccessKey: 'secret',
      sessionToken: 'token',
    }),
    log: (_name, text) => printed.push(text),
    ...options,
  });
  for (const definition of functions) host.define(definition);
  return Object.assign(host, { printed });
}
