import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ZodError } from 'zod';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { parseAt } from '../../../src/http/parse-input.ts';
import { json } from '../../../src/wire/parts.ts';
import { allRoutes, type AnyRoute } from '../../../tools/openapi/all-routes.ts';
import { createOpenApiDocument } from '../../../tools/openapi/create-document.ts';
import { OPERATIONS } from '../../../tools/openapi/operations.ts';

type Document = any;

const routes = allRoutes();
const document: Document = createOpenApiDocument(routes, '0');
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, 'openapi');

/** The document as it is committed, which has recorded responses too. */
const committed: Document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

/** Lists all bodies with examples in a part of the document, and the JSON pointers to them. */
function contentsOf(
  part: unknown,
  pointer = '',
): readonly { readonly pointer: string; readonly examples: readonly { readonly value?: unknown }[] }[] {
  if (typeof part !== 'object' || part === null) return [];
  if ('schema' in part && 'examples' in part)
    return [{ pointer, examples: Object.values(part.examples ?? {}) }];
  return Object.entries(part).flatMap(([name, inner]) =>
    contentsOf(inner, `${pointer}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`),
  );
}

const described = (route: AnyRoute) => {
  const found = OPERATIONS[route.operation];
  if (found === undefined) throw new Error(route.operation);
  return found;
};
const withBody = routes.filter(({ body }) => body !== undefined);
const withQuery = routes.filter(({ query }) => query !== undefined);

/** A query that records the names of the parameters that are read. */
function asked(route: AnyRoute, text = ''): ReadonlySet<string> {
  const names = new Set<string>();
  const query = new URLSearchParams(text);
  const noting = new Proxy(query, {
    get(target, member) {
      const value = Reflect.get(target, member) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        if (member === 'get' || member === 'getAll') names.add(String(args[0]));
        return (value as (...args: readonly unknown[]) => unknown).apply(target, [...args]);
      };
    },
  });
  route.query?.parse(noting);
  return names;
}

const refuses = (route: AnyRoute, text: string) => {
  try {
    route.query?.parse(new URLSearchParams(text));
    return false;
  } catch (error) {
    return error instanceof ServiceError || error instanceof ZodError;
  }
};

describe('the OpenAPI document', () => {
  it('has every route of every table, and no other', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.toSorted()).toEqual(
      routes.map(({ method, path }) => `${method} ${path.replace('+}', '}')}`).toSorted(),
    );
  });

  it('gives every operation a unique name', () => {
    const names = Object.values(document.paths).flatMap((item) =>
      Object.values(item as object).map(({ operationId }) => operationId as string),
    );
    expect(new Set(names).size).toBe(routes.length);
  });

  it('rejects an operation without a description, and a description without an operation', () => {
    const [first] = routes;
    if (first === undefined) throw new Error('no routes');
    expect(() => createOpenApiDocument([...routes, { ...first, operation: 'unheardOf' }], '0')).toThrow(
      'unheardOf is not described',
    );
    expect(() => createOpenApiDocument(routes.slice(1), '0')).toThrow('no route is called');
  });

  it.each(withBody.map((route) => [route.operation, route] as const))(
    '%s has examples of its body, which the service itself accepts',
    (_operation, route) => {
      const examples = Object.values(described(route).requests ?? {});
      expect(examples.length).toBeGreaterThan(0);
      for (const { value } of examples)
        expect(() => parseAt(route.body ?? json, value, '', 'strict')).not.toThrow();
    },
  );

  it('has examples of bodies that fit their schemas, recorded responses among them', () => {
    ajv.addSchema(committed, 'committed');
    const contents = contentsOf(committed);
    expect(contents.length).toBeGreaterThan(100);
    const wrong = contents.flatMap(({ pointer, examples }) => {
      const validate = ajv.getSchema(`committed#${pointer}/schema`);
      return examples
        .filter(({ value }) => validate?.(value) !== true)
        .map(() => [pointer, validate?.errors]);
    });
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries<any>(document.components.schemas).filter(([, schema]) => schema.examples))(
    '%s has an example that fits it',
    (name, schema) => {
      const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
      for (const example of schema.examples as unknown[])
        expect([validate?.(example), validate?.errors]).toEqual([true, null]);
    },
  );

  it('has a recorded response of every operation whose success has a body', () => {
    for (const operation of Object.values<object>(committed.paths).flatMap((item) =>
      Object.values<any>(item),
    ))
      for (const [status, { content = {} }] of Object.entries<any>(operation.responses))
        if (/^2\d\d$/.test(status) && content['application/json'] !== undefined)
          expect([operation.operationId, Object.keys(content['application/json'].examples ?? {})]).toEqual([
            operation.operationId,
            ['recorded'],
          ]);
  });

  it('has a curl sample of every operation, which a shell reads as the example that it shows', () => {
    const operations = Object.values<any>(document.paths).flatMap((item) => Object.values<any>(item));
    const samples = operations.map((operation) => operation['x-codeSamples'][0].source as string);
    const script = ['curl() { printf "%s\\0" "$@"; printf "\\0"; }', 'URL=url KEY=key ID=an-id', ...samples];
    const calls = execFileSync('sh', ['-c', script.join('\n')], { encoding: 'utf8' }).split('\0\0');
    expect(calls.length).toBe(operations.length + 1);
    for (const [index, operation] of operations.entries()) {
      const args = calls[index]?.split('\0') ?? [];
      expect(args).toContain('SVC-API-KEY: key');
      const [content]: any[] = Object.values(operation.requestBody?.content ?? {});
      const [example]: any[] = Object.values(content?.examples ?? {});
      const sent = args.includes('-d') ? { value: JSON.parse(args.at(-1) ?? '') } : undefined;
      expect([operation.operationId, sent?.value]).toEqual([operation.operationId, example?.value]);
    }
  });

  it('has an example of every failure, under its own status', () => {
    const failures = Object.entries<any>(document.paths).flatMap(([path, item]) =>
      Object.entries<any>(item).flatMap(([method, operation]) =>
        Object.entries<any>(operation.responses)
          .filter(([status]) => Number(status) >= 400)
          .map(([status, input]) => {
            const response = input.$ref ? document.components.responses[input.$ref.split('/').at(-1)] : input;
            const content = response.content['application/json'];
            return { at: `${method} ${path} ${status}`, status: Number(status), content };
          }),
      ),
    );
    expect(failures.length).toBeGreaterThan(200);
    for (const { at, status, content } of failures) {
      const { value } = content.examples.failure;
      const problem = value.proxy_error ?? value;
      expect([at, problem.status]).toEqual([at, status]);
      const shape = value.proxy_error ? 'ProxyProblem' : 'Problem';
      expect([at, ajv.getSchema(`openapi#/components/schemas/${shape}`)?.(value)]).toEqual([at, true]);
    }
  });

  it.each(withQuery.map((route) => [route.operation, route] as const))(
    '%s lists the parameters that the service reads',
    (_operation, route) => {
      const listed = Object.keys(described(route).query?.shape ?? {});
      // Metadata filters are read from all parameters that begin so.
      expect([...asked(route)].toSorted()).toEqual(listed.filter((name) => name !== 'metadata').toSorted());
    },
  );

  it.each(
    withQuery.flatMap((route) =>
      described(route).query?.shape['size'] ? [[route.operation, route] as const] : [],
    ),
  )('%s enforces the bounds in the document', (_operation, route) => {
    expect(['size=0', 'size=101', 'page=0', 'size=x'].map((query) => refuses(route, query))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    const hasPages = described(route).query?.shape['page'] !== undefined;
    expect(['size=1', 'size=100', 'page=1', ''].map((query) => refuses(route, query))).toEqual([
      false,
      false,
      !hasPages,
      false,
    ]);
  });
});
