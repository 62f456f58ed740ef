import * as z from 'zod/mini';
import { TOKEN_TYPE_NAMES, type TokenTypeName } from '../../src/core/tokens/token-type.ts';
import { tokenData } from '../../src/wire/token-data.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Content {
  schema: Schema;
}

/** The parts of a document that this file changes. */
export interface NamedRequests {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
}

const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const pascal = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The type `token` accepts any JSON. */
const variantName = (type: TokenTypeName): string =>
  type === 'token'
    ? 'CreateJsonToken'
    : `Create${pascal(type)}${type === 'card' || type === 'bank' ? 'Token' : ''}`;

/** The data of a type as JSON Schema; an object is added as a component. */
function dataOf(type: TokenTypeName, schemas: NamedRequests['components']['schemas']): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(tokenData()[type], { io: 'input' });
  if (schema.type !== 'object') return schema;
  const name = `${pascal(type)}Data`;
  schemas[name] = schema;
  return reference(name);
}

/** A create request, one schema for each token type: the type decides the schema of `data`. */
function byTokenType(schema: Schema, schemas: NamedRequests['components']['schemas']): Schema {
  const { properties } = schema as { properties: Record<string, Schema> };
  const mapping: Record<string, string> = {};
  for (const type of TOKEN_TYPE_NAMES) {
    const name = variantName(type);
    const description = properties['type']?.['description'];
    schemas[name] = {
      ...schema,
      properties: {
        ...properties,
        type: { const: type, type: 'string', description },
        data: dataOf(type, schemas),
      },
    };
    mapping[type] = `#/components/schemas/${name}`;
  }
  return {
    oneOf: TOKEN_TYPE_NAMES.map((type) => reference(variantName(type))),
    discriminator: { propertyName: 'type', mapping },
  };
}

/**
 * Moves the body schema of each operation to the components, so that generated clients have a name
 * for it.
 */
export function nameRequests({ paths, components: { schemas } }: NamedRequests): void {
  for (const operations of Object.values(paths))
    for (const operation of Object.values(operations) as readonly Operation[])
      for (const content of Object.values(operation.requestBody?.content ?? {})) {
        if (!('properties' in content.schema)) continue;
        const name = `${pascal(operation.operationId)}Request`;
        schemas[name] =
          operation.operationId === 'createToken' ? byTokenType(content.schema, schemas) : content.schema;
        content.schema = reference(name);
      }
}
