import { readFileSync } from 'node:fs';
import type { SiteConfig } from '../../tools/docs/site-config.ts';
import type { TriedOperation, TriedParameter } from './tried-request.ts';

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema?: { readonly type?: string; readonly enum?: readonly string[] };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
        }
      >
    >;
  };
}

const { openApiFile, api } = JSON.parse(process.env['CLOAKROOM_DOCS'] ?? '') as SiteConfig;
const { paths, components } = JSON.parse(readFileSync(openApiFile, 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: {
      readonly Problem: { readonly properties: { readonly code: { readonly enum: readonly string[] } } };
    };
  };
};
const { enum: errorCodes } = components.schemas.Problem.properties.code;

const PLACES = ['path', 'query', 'header'] as const;

const parameterOf = ({ in: place, name, required = false, description = '', example, schema }: Parameter) => {
  const found = PLACES.find((known) => known === place);
  if (found === undefined) throw new Error(`try it: a parameter in ${place}`);
  const parameter: TriedParameter = {
    place: found,
    name,
    required,
    description: description.replaceAll('`', ''),
    example: typeof example === 'string' ? example : '',
    choices: schema?.enum ?? [],
  };
  return parameter;
};

/** The data that "try it" needs of each operation, by the last part of its page's address. */
export const triedOperations = new Map<string, TriedOperation>(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [[mediaType, { examples = {} }] = ['', {}]] = Object.entries(
        operation.requestBody?.content ?? {},
      );
      const tried: TriedOperation = {
        operationId: operation.operationId,
        errorCodes,
        api,
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? [])
          // A form has one value for each parameter.
          .filter(({ schema }) => schema?.type !== 'object')
          .map(parameterOf),
        mediaType: mediaType === '*/*' ? 'application/json' : mediaType,
        bodies: Object.values(examples).map(({ summary, value }) => ({
          summary,
          text: JSON.stringify(value, null, 2),
        })),
      };
      return [operation.operationId.toLowerCase(), tried] as const;
    }),
  ),
);
