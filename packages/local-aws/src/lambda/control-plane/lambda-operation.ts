import type { AwsAccess, AwsCall, AwsResponse } from '../../aws-service.ts';
import { parseFunctionName } from '../function-name.ts';
import type { LambdaAction } from './lambda-actions.ts';
import type { FunctionRegistry } from './function-registry.ts';

/** A call of the Lambda API whose path is parsed. */
export interface LambdaRequest {
  readonly call: AwsCall;
  /** Values of the path's `{Parameters}`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The name within `FunctionName`; empty if the path of the call has none. */
  readonly name: string;
  /** Taken from the query, or from a qualified `FunctionName`. */
  readonly qualifier: string | undefined;
}

export interface LambdaOperation {
  readonly method: string;
  /** Contains `{Parameters}`, as the API reference does. */
  readonly path: string;
  /** A parameter of the query that distinguishes it from another operation of the path. */
  readonly query?: readonly [name: string, value: string];
  readonly action: `lambda:${LambdaAction}`;
  /** Returns the resource that the access check is about. */
  readonly resource: (request: LambdaRequest) => string;
  /** Returns the condition keys for that check. */
  readonly context?: (request: LambdaRequest) => NonNullable<AwsAccess['context']>;
  /** Further accesses that the caller needs. */
  readonly also?: (request: LambdaRequest) => readonly AwsAccess[];
  /** The call limit of the account that it counts against. Default `control`. */
  readonly limit?: 'control' | 'read' | 'none';
  readonly respond: (request: LambdaRequest) => Promise<AwsResponse> | AwsResponse;
}

export interface ControlPlane {
  readonly registry: FunctionRegistry;
  readonly functionArn: (name: string) => string;
  /** Whether the app's templates contain a function of the name. */
  readonly isTemplateFunction: (name: string) => boolean;
  readonly isLayer: (arn: string) => boolean;
  /** Whether a role exists and trusts Lambda. */
  readonly canAssume: (roleArn: string) => boolean;
  /** Whether the policy of a KMS key lets Lambda encrypt the code of a function. */
  readonly canEncrypt: (keyArn: string, functionArn: string) => boolean;
  /** Returns the quota of concurrent executions that the account has at this moment. */
  readonly accountConcurrency: () => number;
  /** Returns how many of it the functions of the templates reserve. */
  readonly reservedByTemplates: () => number;
}

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): AwsResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

export const noContent: AwsResponse = { status: 204, headers: {}, body: '' };

const compiled = new Map<string, RegExp>();

function expressionOf(path: string): RegExp {
  const known = compiled.get(path);
  if (known !== undefined) return known;
  const made = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`);
  compiled.set(path, made);
  return made;
}

/** The request, if it matches the operation. */
export function matchOperation(operation: LambdaOperation, call: AwsCall): LambdaRequest | undefined {
  if (operation.method !== call.method) return undefined;
  const [parameter, value] = operation.query ?? [];
  if (parameter !== undefined && call.query.get(parameter) !== value) return undefined;
  const found = expressionOf(operation.path).exec(call.path);
  if (found === null) return undefined;
  const parameters = Object.fromEntries(
    Object.entries(found.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)]),
  );
  const { name, qualifier } = parseFunctionName(parameters['FunctionName'] ?? '');
  return { call, parameters, name, qualifier: qualifier ?? call.query.get('Qualifier') ?? undefined };
}

/** Returns a page of a list. The marker of the next one is its position, as opaque text. */
export function page<T>(
  items: readonly T[],
  query: URLSearchParams,
): { readonly items: readonly T[]; readonly next: { readonly NextMarker?: string } } {
  const limit = Math.min(50, Math.max(1, Number(query.get('MaxItems') ?? 50) || 50));
  const marker = query.get('Marker');
  const start = marker === null ? 0 : Number(Buffer.from(marker, 'base64url').toString()) || 0;
  const end = start + limit;
  const next = end < items.length ? { NextMarker: Buffer.from(String(end)).toString('base64url') } : {};
  return { items: items.slice(start, end), next };
}
