// `npm run build -- config-schema`: packages/cli/schema.json, the JSON schema of cloakroom.yaml.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatted } from './formatted.ts';

const FILE = join(import.meta.dirname, '../packages/cli/schema.json');
const OPENAPI = join(import.meta.dirname, '../docs/openapi.json');

/** A schema that editors read; draft 7 is what all of them know. */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const { components } = JSON.parse(readFileSync(OPENAPI, 'utf8')) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const { schemas } = components;

function component(name: string): Schema {
  const found = schemas[name];
  if (found === undefined) throw new Error(`docs/openapi.json has no ${name}`);
  return found;
}

const NAME = '[a-z0-9][a-z0-9-]{0,62}';
const REFERENCE = {
  type: 'string',
  description: 'A name in this file, NAMESPACE/NAME of another file, or an id.',
};
const ADDRESS = `(applications|proxies|reactors)/${NAME}`;
const FROM = {
  type: 'string',
  pattern: '^(env|file|aws-secret):.+$',
  description: 'Where an apply reads the value: env:NAME, file:PATH or aws-secret:NAME.',
};
const ADOPT = { type: 'string', format: 'uuid', description: 'The id of a resource made by hand.' };

const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** A request without members that the file has in another form. */
function request(name: string, without: readonly string[]): Schema {
  const { properties = {}, required = [] } = component(name);
  const own = Object.entries(properties).filter(
    ([member, schema]) => !without.includes(member) && schema['readOnly'] !== true,
  );
  return object(
    Object.fromEntries(own),
    required.filter((member) => !without.includes(member)),
  );
}

const KEYS = {
  type: 'array',
  description: 'The first one is the first key of a new owner.',
  items: (() => {
    const { properties = {} } = request('CreateApplicationKeyRequest', []);
    return {
      ...object({
        ...properties,
        to: {
          type: 'string',
          pattern: '^(file|aws-secret):.+$',
          description: 'Where a new key goes: aws-secret:NAME or file:PATH.',
        },
        id: { type: 'string', format: 'uuid', description: 'The id of a key made by hand.' },
      }),
      oneOf: [{ required: ['name', 'to'] }, { required: ['id'] }],
    };
  })(),
};

const VALUES = {
  proxies: [
    object({ from: FROM, public: { type: 'boolean', description: 'It may come back.' } }, ['from']),
    object({ value: { type: 'string' }, public: { const: true } }, ['value', 'public']),
  ],
  reactors: [
    { type: 'string' },
    object({ from: FROM }, ['from']),
    object({ value: { type: 'string' } }, ['value']),
  ],
};

const configuration = (kind: keyof typeof VALUES) => ({
  type: 'object',
  additionalProperties: { anyOf: VALUES[kind] },
  description: 'Values by name, or where an apply reads them.',
});

/** Entries by their names. */
const named = (entry: Schema, more: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  propertyNames: { pattern: `^${NAME}$` },
  additionalProperties: {
    ...entry,
    properties: { adopt: ADOPT, ...entry.properties, ...more },
  },
});

function reactors() {
  const { properties = {}, required = [] } = request('CreateReactorRequest', [
    ...['external_id', 'configuration', 'configuration_labels', 'application', 'runtime'],
  ]);
  return object(
    { ...properties, code: { type: 'string', description: 'A file below the folder of this one.' } },
    required,
  );
}

function runtime() {
  const { runtime: sent = {} } = component('CreateReactorRequest').properties ?? {};
  const [{ properties = {} } = {}] = sent['anyOf'] as readonly Schema[];
  const { image = {}, warm_concurrency: warmConcurrency = {} } = properties;
  return object({
    image,
    warm_concurrency: warmConcurrency,
    packages: { type: 'string', description: 'A file that `cloakroom reactor bundle --out` has written.' },
  });
}

/** Puts references in the place of ids, and the definitions to where draft 7 has them. */
function inFileForm(value: unknown, path: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((each, at) => inFileForm(each, [...path, String(at)]));
  if (typeof value !== 'object' || value === null) return value;
  const [parent, member] = path.slice(-2);
  // These lists have ids in the API.
  if (path.at(-3) === 'through' && parent === 'properties' && (member === 'proxies' || member === 'reactors'))
    return { ...value, items: REFERENCE };
  return Object.fromEntries(
    Object.entries(value)
      .filter(([keyword]) => keyword !== 'discriminator')
      .map(([keyword, inner]) =>
        keyword === '$ref' && typeof inner === 'string'
          ? [keyword, inner.replace('#/components/schemas/', '#/definitions/')]
          : [keyword, inFileForm(inner, [...path, keyword])],
      ),
  );
}

const isTransform = (name: string): boolean => /.Transform$/.test(name);

function definitions(): Readonly<Record<string, Schema>> {
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => isTransform(name))
      .map(([name, schema]): readonly [string, Schema] => {
        const { reactor_id: id, ...properties } = schema.properties ?? {};
        if (id === undefined) return [name, schema];
        const required = (schema.required ?? []).map((each) => (each === 'reactor_id' ? 'reactor' : each));
        return [name, { ...schema, properties: { reactor: REFERENCE, ...properties }, required }];
      }),
  );
}

/** The text of the schema, as the OpenAPI document describes the members. */
export async function configSchemaText(): Promise<string> {
  const applications = request('CreateApplicationRequest', ['external_id']);
  const proxies = request('CreateProxyRequest', [
    ...['external_id', 'configuration', 'configuration_labels', 'application'],
  ]);
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'The configuration of a tenant of Cloakroom',
    ...object(
      {
        namespace: {
          type: 'string',
          pattern: `^${NAME}$`,
          description: 'With the name of an entry it identifies a resource of the tenant.',
        },
        tenant: object(request('UpdateTenantRequest', ['configuration_revision']).properties ?? {}),
        applications: named(applications, { keys: KEYS }),
        proxies: named(proxies, {
          application: REFERENCE,
          configuration: configuration('proxies'),
          keys: KEYS,
        }),
        reactors: named(reactors(), {
          application: REFERENCE,
          configuration: configuration('reactors'),
          runtime: runtime(),
        }),
        moved: {
          type: 'object',
          propertyNames: { pattern: `^${ADDRESS}$` },
          additionalProperties: { type: 'string', pattern: `^${ADDRESS}$` },
          description: 'New addresses by the old ones: { applications/old: applications/new }.',
        },
        removed: {
          type: 'array',
          items: { type: 'string', pattern: `^(${ADDRESS}|keys/(applications|proxies)/${NAME}/.+)$` },
          description: 'What is deleted. Nothing is deleted because the file lacks it.',
        },
      },
      ['namespace'],
    ),
    definitions: definitions(),
  };
  return await formatted('schema.json', JSON.stringify(inFileForm(schema)));
}

/** Throws if the schema is not that of the OpenAPI document. */
export async function checkConfigSchema(): Promise<void> {
  if (readFileSync(FILE, 'utf8') !== (await configSchemaText()))
    throw new Error('packages/cli/schema.json is not up to date: npm run build -- config-schema writes it');
}

if (process.argv[1] === import.meta.filename) writeFileSync(FILE, await configSchemaText());
