// The OpenAPI document as the reference shows it: failures lead to the pages of their codes.
import { PROBLEMS, problemCodes, type ProblemCode } from '../../src/wire/problem.ts';

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: object;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}

type Schema = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

const isProxied = (operationId: string): boolean => /^proxy[A-Z]/.test(operationId);
const isInvocation = (operationId: string): boolean => operationId === 'invokeReactor';

/** Codes that only some operations have, whatever others have the status. */
const ONLY: Partial<Readonly<Record<ProblemCode, (operationId: string) => boolean>>> = {
  configuration_required: (id) => id === 'updateProxy' || id === 'patchProxy',
  transform_failed: isProxied,
  destination_timeout: isProxied,
  destination_unreachable: isProxied,
  payment_required: isInvocation,
  too_many_requests: isInvocation,
  reactor_not_loaded: isInvocation,
  reactor_failed: isInvocation,
};

/** The statuses under which a code occurs, in rising order. */
export const statusesOf = (code: ProblemCode): readonly number[] =>
  code === 'internal_error'
    ? [500]
    : Object.entries(PROBLEMS)
        .filter(([name, shown]) => (shown.code ?? name) === code)
        .map(([, { status }]) => status);

/** The codes that an operation can respond with under a status. */
export const codesOf = (operationId: string, status: number): readonly ProblemCode[] =>
  problemCodes().filter((code) => statusesOf(code).includes(status) && (ONLY[code]?.(operationId) ?? true));

/** Replaces each failure of an operation by its words and links. `base` is the path of the site. */
function withLinks(operation: Operation, document: OpenApiDocument, base: string): Operation {
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    if (!/^[45]\d\d$/.test(status)) return [status, response] as const;
    const name = response.$ref?.split('/').at(-1);
    const { description = '' } = name === undefined ? response : (document.components.responses[name] ?? {});
    const links = codesOf(operation.operationId, Number(status)).map(
      (code) => `[\`${code}\`](${base}errors/${code}/)`,
    );
    return [status, { description: [description, links.join(', ')].filter(Boolean).join('\n\n') }] as const;
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

/** The token type that a schema is for, such as `card`, by which a reader chooses it. */
function tokenTypeOf(schema: Schema): string | undefined {
  const { type } = isObject(schema['properties']) ? schema['properties'] : {};
  return isObject(type) && typeof type['const'] === 'string' ? type['const'] : undefined;
}

/** Gives each schema a title, which the reference shows on the tab of a variant. */
const titled = (schemas: Readonly<Record<string, Schema>>) =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      { title: tokenTypeOf(schema) ?? name, ...schema },
    ]),
  );

/** The document for the reference of a site. It names no server: the reader's is another one. */
export function siteReference(document: OpenApiDocument, base: string): object {
  const paths = Object.entries(document.paths).map(([path, methods]): [string, object] => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, withLinks(operation, document, base)]),
    ),
  ]);
  const { components } = document;
  return {
    ...document,
    servers: undefined,
    components: { ...components, schemas: titled(components.schemas) },
    paths: Object.fromEntries(paths),
  };
}
