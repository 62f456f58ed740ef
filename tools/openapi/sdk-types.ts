/*
 * The plain types of the SDK, made from the components of the OpenAPI document. Types with
 * parameters are written by hand in packages/sdk/src/generics.ts.
 */

/** A JSON Schema of the document, as far as its schemas go. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly description?: string;
  readonly readOnly?: boolean;
}

type Schemas = Readonly<Record<string, Schema>>;

/** Names in the SDK of components that have another one in the document. */
const SDK_NAMES: Readonly<Record<string, string>> = {
  CreateApplicationRequest: 'NewApplication',
  UpdateApplicationRequest: 'ApplicationGrants',
  CreateApplicationKeyRequest: 'NewApplicationKey',
  UpdateApplicationKeyRequest: 'ApplicationKeyChange',
  AuthorizeSessionRequest: 'SessionGrants',
  CreateReactorRequest: 'NewReactor',
  // `Proxy` would hide the global of this name.
  Proxy: 'StoredProxy',
  CreatedProxy: 'CreatedStoredProxy',
  CreateProxyRequest: 'NewStoredProxy',
  PatchProxyRequest: 'StoredProxyChange',
  RevertProxyRequest: 'StoredProxyRevert',
  ProxyTransform: 'StoredProxyTransform',
  ProxyVersion: 'StoredProxyVersion',
  ProxyFailure: 'StoredProxyFailure',
  ProxyFailures: 'StoredProxyFailures',
  PatchReactorRequest: 'ReactorChange',
  UpdateTenantRequest: 'TenantChange',
  ExplainAccessRequest: 'AccessQuestion',
  CreateJsonToken: 'NewTokenMembers',
  UpdateTokenRequest: 'TokenChangeMembers',
};

/** Components that the SDK does not export, since generics.ts or another component has them. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'AcceptedInvocation',
  'CreateProxyKeyRequest',
  'CreateTokenRequest',
  'GatewayMessage',
  'InvokeReactorRequest',
  'ListedToken',
  'Mask',
  'Pagination',
  'ProxyProblem',
  'ReactorResult',
  'SearchTokensRequest',
  'UpdateProxyKeyRequest',
  'UpdateProxyRequest',
  'UpdateReactorRequest',
  'WrittenToken',
]);

/** A create request of one token type: generics.ts has one type for all. */
const isOfTokenType = (name: string): boolean => /^Create(?!Json).*(?:Token|Number)$/.test(name);

const isRequest = (name: string): boolean => /Request$|^CreateJsonToken$|^(?:Card|Bank)Data$/.test(name);

const LINE_MAX = 98;

/** A name that is no identifier, such as `bom-ref`, is in quotation marks. */
const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

/** A doc comment with wrapped lines. */
function comment(text: string | undefined, indent = ''): string {
  if (text === undefined) return '';
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = `${lines.at(-1) ?? ''} ${word}`;
    if (`${indent} *${line}`.length > LINE_MAX) lines.push(` ${word}`);
    else lines[lines.length - 1] = line;
  }
  if (lines.length === 1 && `${indent}/**${lines[0] ?? ''} */`.length <= LINE_MAX)
    return `${indent}/**${lines[0] ?? ''} */\n`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} *${line}`), `${indent} */`, ''].join('\n');
}

const componentOf = ($ref: string): string => $ref.replace(/^.*\//, '');

const WORDS_AND_LIMITS =
  /^(?:description|examples|format|pattern|minimum|maximum|propertyNames|(?:min|max)[A-Z]\w+)$/;

/** A schema without its words, limits and references, as text: equal texts are one type. */
function shapeOf(schema: Schema, schemas: Schemas): string {
  return JSON.stringify(schema, (name, value: unknown) => {
    if (name === 'properties' || Array.isArray(value) || typeof value !== 'object' || value === null)
      return value;
    const { $ref } = value as Schema;
    const members = Object.entries($ref === undefined ? value : (schemas[componentOf($ref)] ?? {}))
      .filter(
        ([each, of]) => !WORDS_AND_LIMITS.test(each) && !(each === 'additionalProperties' && of === false),
      )
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(members);
  });
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  null: 'null',
  number: 'number',
  integer: 'number',
};

/** The schema of the Token object in any response: a write or a page may leave members out. */
function anyToken({ WrittenToken, ListedToken }: Schemas): Schema {
  const extras = [WrittenToken, ListedToken].map((token) => token?.properties?.['_extras']?.properties);
  return {
    ...WrittenToken,
    description: 'The Token object: what the caller may see of a token.',
    properties: {
      ...WrittenToken?.properties,
      _extras: { type: 'object', properties: { ...extras[0], ...extras[1] } },
    },
  };
}

/** Members that generics.ts declares, since their types have parameters. */
const GENERIC_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  CreateJsonToken: ['type', 'data'],
  UpdateTokenRequest: ['data'],
};

function withoutGenerics(component: string, schema: Schema): Schema {
  const { [component]: generic } = GENERIC_MEMBERS;
  if (generic === undefined) return schema;
  const members = Object.entries(schema.properties ?? {}).filter(([name]) => !generic.includes(name));
  return { ...schema, properties: Object.fromEntries(members) };
}

const oneOf = (names: readonly unknown[]): string => names.map((name) => JSON.stringify(name)).join(' | ');

/** Writes types, and remembers which components requests contain. */
function createWriter(schemas: Schemas) {
  const byShape = new Map(
    Object.entries(schemas)
      .filter(([name]) => !LEFT_OUT.has(name) && !isRequest(name))
      .map(([name, schema]) => [shapeOf(schema, schemas), name]),
  );
  const ofRequests = new Set(Object.keys(schemas).filter(isRequest));

  /** The name of a component in a type. */
  function named(component: string, isInput: boolean): string {
    if (isInput) ofRequests.add(component);
    return component === 'Mask' ? 'Json' : (SDK_NAMES[component] ?? component);
  }

  function members({ properties = {}, required = [] }: Schema, isInput: boolean, indent: string): string {
    const lines = Object.entries(properties).flatMap(([name, schema]) => {
      if (schema.readOnly === true) return [];
      const type = typeOf(schema, isInput, `${indent}  `);
      const isOptional = !required.includes(name);
      const either = isOptional && isInput ? `${type} | undefined` : type;
      return `${comment(schema.description, `${indent}  `)}${indent}  readonly ${memberName(name)}${isOptional ? '?' : ''}: ${either};\n`;
    });
    return `{\n${lines.join('')}${indent}}`;
  }

  function objectOf(schema: Schema, isInput: boolean, indent: string): string {
    const { properties, additionalProperties } = schema;
    if (properties !== undefined) return members(schema, isInput, indent);
    if (typeof additionalProperties !== 'object') throw new Error('sdk types: an object without members');
    return `Readonly<Record<string, ${typeOf(additionalProperties, isInput, indent)}>>`;
  }

  function typeOf(schema: Schema, isInput: boolean, indent: string): string {
    const component =
      schema.$ref === undefined ? byShape.get(shapeOf(schema, schemas)) : componentOf(schema.$ref);
    if (component !== undefined) return named(component, isInput);
    return writtenOut(schema, isInput, indent);
  }

  function writtenOut(schema: Schema, isInput: boolean, indent: string): string {
    const { type, const: constant, enum: names, anyOf, oneOf: either = anyOf, items } = schema;
    if (constant !== undefined) return JSON.stringify(constant);
    // A newer service may respond with further names.
    if (names !== undefined) return isInput ? oneOf(names) : `${oneOf(names)} | (string & {})`;
    if (either !== undefined && (type === undefined || type === 'object'))
      return [...new Set(either.map((one) => typeOf(one, isInput, indent)))].join(' | ');
    if (type === 'object') return objectOf(schema, isInput, indent);
    if (type === 'array') return `readonly (${typeOf(items ?? {}, isInput, indent)})[]`;
    if (type !== undefined)
      return [type]
        .flat()
        .map((name) => PRIMITIVES[name] ?? never(name))
        .join(' | ');
    return 'Json';
  }

  function declaration(component: string): string {
    const schema = withoutGenerics(component, schemas[component] ?? never(component));
    const name = SDK_NAMES[component] ?? component;
    const isInput = ofRequests.has(component);
    const head = `${comment(schema.description)}export `;
    if (schema.properties !== undefined) return `${head}interface ${name} ${members(schema, isInput, '')}\n`;
    // Names with a type of their own are complete: programs switch over them.
    const { enum: names } = schema;
    return `${head}type ${name} = ${names === undefined ? writtenOut(schema, isInput, '') : oneOf(names)};\n`;
  }

  return { declaration, ofRequests };
}

function never(name: string): never {
  throw new Error(`sdk types: nothing is known of ${name}`);
}

const HEAD = `// Written by \`npm run build -- openapi\` from the schemas of src/wire. Do not edit.
import type { Json } from './json.ts';
`;

/** Returns the source of packages/sdk/src/resources.ts. */
export function sdkTypes(document: object): string {
  const { schemas } = (document as { components: { schemas: Schemas } }).components;
  const all: Schemas = { ...schemas, Token: anyToken(schemas) };
  const names = Object.keys(all).filter((name) => !LEFT_OUT.has(name) && !isOfTokenType(name));
  const writer = createWriter(all);
  // The content of requests is known once they are written.
  const written = () => names.map((name) => writer.declaration(name));
  let count: number;
  do {
    count = writer.ofRequests.size;
    written();
  } while (writer.ofRequests.size > count);
  return [HEAD, ...written()].join('\n');
}
