import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  APPLICATION,
  KEY,
  PROXY,
  REACTOR,
  TENANT,
  TRANSFORMS,
  type Members,
} from '../../../../bin/config/plan/members.ts';
import { unknownMembers } from '../../../../bin/config/plan/live-members.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly const?: unknown;
}

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../docs/openapi.json'), 'utf8'),
) as { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } };

function schemaNamed(name: string): Schema {
  const schema = document.components.schemas[name];
  if (schema === undefined) throw new Error(`no schema ${name}`);
  return schema;
}

/** The paths of all members of a schema, in the form of the table. Transforms have tables. */
function pathsOf(schema: Schema, path = ''): readonly string[] {
  if (schema.$ref === '#/components/schemas/ProxyTransform') return [];
  if (schema.$ref !== undefined) return pathsOf(schemaNamed(schema.$ref.split('/').at(-1) ?? ''), path);
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...pathsOf(member, at)];
  });
  return [
    ...members,
    ...inner.flatMap((each) => pathsOf(each, path)),
    ...(schema.items === undefined ? [] : pathsOf(schema.items, `${path}[]`)),
  ];
}

/** Returns the schemas of a union, also of unions inside it. */
function variantsOf({ $ref, ...schema }: Schema): readonly Schema[] {
  if ($ref !== undefined) return variantsOf(schemaNamed($ref.split('/').at(-1) ?? ''));
  const inner = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return inner.length > 0 ? inner.flatMap(variantsOf) : [schema];
}

const lacking = (members: Members, schemas: readonly string[]): readonly string[] => [
  ...new Set(
    schemas
      .flatMap((name) => pathsOf(schemaNamed(name)))
      // Transforms of requests have the members of any type, which the tables of types have.
      .filter((path) => !/^(request|response)_transforms\[\]/.test(path) && !(path in members)),
  ),
];

describe('the table of members', () => {
  it.each([
    [
      'applications',
      APPLICATION,
      ['Application', 'ApplicationWithKey', 'CreateApplicationRequest', 'UpdateApplicationRequest'],
    ],
    [
      'keys',
      KEY,
      [
        ...['ApplicationKey', 'CreatedApplicationKey', 'CreateApplicationKeyRequest'],
        ...['UpdateApplicationKeyRequest', 'CreateProxyKeyRequest', 'UpdateProxyKeyRequest'],
      ],
    ],
    [
      'proxies',
      PROXY,
      ['Proxy', 'CreatedProxy', 'CreateProxyRequest', 'UpdateProxyRequest', 'PatchProxyRequest'],
    ],
    ['reactors', REACTOR, ['Reactor', 'CreateReactorRequest', 'UpdateReactorRequest', 'PatchReactorRequest']],
    ['the tenant', TENANT, ['Tenant', 'UpdateTenantRequest']],
  ] as const)('has every member of %s', (_, members, schemas) => {
    expect(lacking(members, schemas)).toEqual([]);
  });

  it('has every member of every type of transform', () => {
    const union = schemaNamed('ProxyTransform');
    const variants = variantsOf(union);
    expect(variants).toHaveLength(9);
    const missing = variants.flatMap((variant) => {
      const type = String(variant.properties?.['type']?.const);
      const members = TRANSFORMS[type] ?? {};
      return pathsOf(variant)
        .filter((path) => !(path in members))
        .map((path) => `${type}: ${path}`);
    });
    expect(missing).toEqual([]);
  });

  it('finds a member that it does not have, at any depth', () => {
    const rule = { priority: 1, transform: 'mask', permissions: [], through: { proxies: [], queues: [] } };
    expect(
      unknownMembers(APPLICATION, { name: 'x', rules: [rule, { ...rule, color: 1 }], owner: 'me' }),
    ).toEqual(['rules[].through.queues', 'rules[].through.queues', 'rules[].color', 'owner']);
    expect(
      unknownMembers(REACTOR, { runtime: { image: 'node16', memory: 1 }, configuration: { any: 'x' } }),
    ).toEqual(['runtime.memory']);
  });
});
