import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import type { Exchange } from '../../packages/local-aws/src/gateway/http-gateway.ts';
import { UsageError } from '../command-line/failures.ts';

export interface ContractCheck {
  /**
   * Returns how a response differs from the OpenAPI document, in one line without values of the
   * response.
   */
  check(exchange: Exchange): string | undefined;
  /** Counts the responses that were checked, and those that differ from the document. */
  readonly counts: { readonly checked: number; readonly violations: number };
}

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
}

type PathItem = Readonly<Record<string, Operation>>;

interface Document {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

interface Path {
  readonly template: string;
  readonly form: RegExp;
  readonly item: PathItem;
}

const ID = 'openapi';
const JSON_TYPE = 'application/json';

/** Clients must tolerate unknown members; the service must not send undocumented ones. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  return 'properties' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Only `/proxy/{suffix}` spans segments, which OpenAPI cannot express. */
function pathOf(template: string, item: PathItem): Path {
  const form = template
    .split(/(\{[^}]+\})/)
    .map((part) => (part === '{suffix}' ? '.+' : part.startsWith('{') ? '[^/]+' : escaped(part)))
    .join('');
  return { template, form: new RegExp(`^${form}/?$`, 's'), item };
}

const pointer = (...segments: readonly string[]) =>
  segments.map((segment) => segment.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function readDocument(file: string): Document {
  let document: Partial<Document> | null = null;
  try {
    document = JSON.parse(readFileSync(file, 'utf8')) as Partial<Document> | null;
  } catch (error) {
    // The parser's message would quote the file.
    if (!(error instanceof SyntaxError))
      throw new UsageError(`--contract: ${file} cannot be read (${String(errorCode(error))})`);
  }
  if (document?.paths !== undefined && document.components !== undefined) return document as Document;
  throw new UsageError(`--contract: ${file} is no OpenAPI document with paths and components`);
}

/** An OpenAPI document, and its schemas as far as they were compiled. */
interface Contract {
  readonly document: Document;
  readonly ajv: Ajv2020;
  readonly paths: readonly Path[];
  readonly validators: Map<string, ValidateFunction>;
}

function validator({ validators, ajv }: Contract, at: string): ValidateFunction {
  const known = validators.get(at) ?? ajv.compile({ $ref: `${ID}#/${at}` });
  validators.set(at, known);
  return known;
}

function faultsOf(contract: Contract, at: string, body: unknown): string | undefined {
  const validate = validator(contract, at);
  if (validate(body)) return undefined;
  // The message names the problem and no value, because values may be data.
  const faults = (validate.errors ?? []).map(({ instancePath, keyword, params }) => {
    const name: unknown = params['additionalProperty'] ?? params['missingProperty'] ?? '';
    return `${instancePath === '' ? '/' : instancePath} ${keyword} ${String(name)}`.trim();
  });
  return [...new Set(faults)].slice(0, 5).join('; ');
}

function headersMissing(response: Response, { headers }: Exchange): string | undefined {
  const sent = Object.keys(headers);
  const missing = Object.entries(response.headers ?? {}).find(
    ([name, { required }]) =>
      // Their prefix is a setting.
      required === true && !sent.some((header) => header.endsWith(name.replace('SVC-', '-').toLowerCase())),
  );
  return missing && `header ${missing[0]} is missing`;
}

function ofResponse(
  contract: Contract,
  at: string,
  response: Response,
  exchange: Exchange,
): string | undefined {
  const missing = headersMissing(response, exchange);
  if (missing !== undefined) return missing;
  const { body, headers } = exchange;
  if (response.content === undefined) return body.length === 0 ? undefined : 'has a body, and should not';
  if ('*/*' in response.content) return undefined;
  if (headers['content-type'] !== JSON_TYPE) return `is of type ${String(headers['content-type'])}`;
  const value = parsed(body);
  if (value === undefined) return 'is no JSON';
  return faultsOf(contract, `${at}/content/${pointer(JSON_TYPE)}/schema`, value);
}

/** A failure is valid if it has one of these shapes. */
function ofFailure(
  contract: Contract,
  { status, body }: Exchange,
  method: string,
  shapes: readonly string[],
): string | undefined {
  if (status < 400) return 'is a success that the document does not have';
  if (method === 'HEAD' && body.length === 0) return undefined;
  const value = parsed(body);
  const faults = shapes.map((name) => faultsOf(contract, `components/schemas/${name}`, value));
  return faults.includes(undefined) ? undefined : faults[0];
}

/** The document has no operation for the request: only failures are allowed. */
const ofStranger = (contract: Contract, exchange: Exchange, method: string) =>
  ofFailure(contract, exchange, method, ['Problem', 'ProxyProblem', 'GatewayMessage']);

function violation(contract: Contract, exchange: Exchange): string | undefined {
  const { paths } = contract;
  const { method, path, status } = exchange;
  const found = paths.find(({ form }) => form.test(path));
  const operation = found?.item[method.toLowerCase()];
  if (found === undefined || operation === undefined) return ofStranger(contract, exchange, method);
  // The document names the headers of a response that comes from the destination.
  const forwarded = operation.responses['default'];
  const isForwarded = forwarded !== undefined && headersMissing(forwarded, exchange) === undefined;
  const name = isForwarded ? 'default' : String(status);
  const response = operation.responses[name];
  if (response === undefined) {
    // Requests that API Gateway rejects before it looks at routes.
    return status === 431 ? ofStranger(contract, exchange, method) : 'is not in the document';
  }
  // The document cannot express that a status and type is either the service's response, in its
  // shape, or the destination's, in any shape.
  if (/^\/proxy(?:\/|$)/.test(path) && !isForwarded)
    return ofFailure(contract, exchange, method, ['ProxyProblem', 'GatewayMessage']);
  return ofDocumented(contract, found, { method, name }, response, exchange);
}

function ofDocumented(
  contract: Contract,
  { template }: Path,
  { method, name }: { readonly method: string; readonly name: string },
  response: Response,
  exchange: Exchange,
): string | undefined {
  const reference = response.$ref?.split('/').at(-1);
  if (reference === undefined) {
    const at = pointer('paths', template, method.toLowerCase(), 'responses', name);
    return ofResponse(contract, at, response, exchange);
  }
  const shared = contract.document.components.responses[reference] ?? {};
  return ofResponse(contract, pointer('components', 'responses', reference), shared, exchange);
}

/** Checks every response against an OpenAPI 3.1 document. Throws an Error for any other file. */
export function createContractCheck(file: string): ContractCheck {
  const document = readDocument(file);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(closed(document) as object, ID);
  // Literal paths before templates: `/applications/key` is no id.
  const paths = Object.entries(document.paths)
    .map(([template, item]) => pathOf(template, item))
    .toSorted((a, b) => Number(a.template.includes('{')) - Number(b.template.includes('{')));
  const validators = new Map<string, ValidateFunction>();
  const counts = { checked: 0, violations: 0 };
  const contract = { document, ajv, paths, validators };

  return {
    counts,
    check(exchange) {
      if (exchange.method === 'OPTIONS') return undefined;
      counts.checked += 1;
      const found = violation(contract, exchange);
      if (found === undefined) return undefined;
      counts.violations += 1;
      return `${exchange.method} ${exchange.path} ${String(exchange.status)}: ${found}`;
    },
  };
}
