// `node tools/build-openapi.ts`: writes docs/openapi.json from the route tables and src/wire, the
// types of the SDK from it, and the names of the operations. `--check`: fails if a file differs, if
// the document is not valid OpenAPI, or if a linter has findings.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { formatted } from './formatted.ts';
import { allRoutes, type AnyRoute } from './openapi/all-routes.ts';
import { createOpenApiDocument } from './openapi/create-document.ts';
import { OPERATIONS } from './openapi/operations.ts';
import { recordResponses } from './openapi/record-responses.ts';
import { lintDocument } from './openapi/lint-document.ts';
import { sdkTypes } from './openapi/sdk-types.ts';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const file = join(ROOT, 'docs', 'openapi.json');
const isCheck = process.argv.includes('--check');

/** Whether the file was written because it differed. */
async function generate(path: string, source: string): Promise<boolean> {
  const wanted = await formatted(path, source);
  if (readFileSync(path, 'utf8') === wanted) return false;
  if (!isCheck) writeFileSync(path, wanted);
  else {
    console.error(`${relative(ROOT, path)} is not up to date: \`npm run build -- openapi\` writes it`);
    process.exitCode = 1;
  }
  return !isCheck;
}

const HEAD = '// Written by `npm run build -- openapi` from the route tables. Do not edit.';
const names = [...new Set(allRoutes().map(({ operation }) => operation))];
const quoted = (separator: string) => names.map((name) => `'${name}'`).join(separator);
const areNew = [
  await generate(
    join(ROOT, 'src/core/audit/api-operations.ts'),
    `${HEAD}\n\n/** The operations of the API. All methods and paths of the proxy have one name. */\nexport const API_OPERATIONS = [${quoted(', ')}] as const;\n`,
  ),
  await generate(
    join(ROOT, 'packages/testing/src/operation-name.ts'),
    `${HEAD}\n\n/** The operations of the service, by their names in its OpenAPI document. */\nexport type OperationName = ${quoted(' | ')};\n`,
  ),
].some(Boolean);
// The document has these names too, and its modules are loaded already: so it is made again.
if (areNew)
  process.exit(spawnSync(process.execPath, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1);

const document = createOpenApiDocument(allRoutes(), packageJson.version, await recordResponses());
await generate(file, JSON.stringify(document));
await generate(join(ROOT, 'packages/sdk/src/resources.ts'), sdkTypes(document));

/** Puts rows into a page, between the lines `<!-- NAME -->` and `<!-- end -->`. */
async function generateRows(page: string, name: string, rows: string): Promise<void> {
  const path = join(ROOT, page);
  const text = readFileSync(path, 'utf8');
  const block = new RegExp(`<!-- ${name} -->[^]*?<!-- end -->`);
  if (!block.test(text)) throw new Error(`${page} has no place for ${name}`);
  await generate(
    path,
    text.replace(block, () => `<!-- ${name} -->\n\n${rows}\n\n<!-- end -->`),
  );
}

/** The first segments of paths, in the order in which the page of the API has them. */
const PATH_ORDER = [
  ...['tokens', 'tokenize', 'detokenize', 'proxy', 'proxies', 'applications', 'reactors'],
  ...['permissions', 'access', 'tenants', 'logs', 'sessions'],
];
const placeOf = (path: string): number => PATH_ORDER.indexOf(path.split('/')[1] ?? '');

/** Describes a route. All methods and paths of the proxy do the same. */
function doesOf({ operation, method, path }: AnyRoute): string {
  const does = OPERATIONS[operation]?.does ?? '';
  if (operation !== 'proxy' || (method === 'GET' && path === '/proxy')) return does;
  return method === 'GET' ? 'The same, with the path suffix appended to the destination' : 'The same';
}

function apiRow(route: AnyRoute): string {
  const { operation, method, path, permission, success } = route;
  const { by = 'any key', response, also = {} } = OPERATIONS[operation] ?? {};
  const statuses = [String(success), ...Object.keys(also)].join(', ');
  return [
    `\`${method} ${path}\``,
    permission === undefined ? by : `\`${permission}\``,
    response?.schema === undefined && operation === 'proxy' ? "the destination's" : statuses,
    doesOf(route).replaceAll('|', String.raw`\|`),
  ].join(' | ');
}

const apiRows = allRoutes()
  .toSorted((one, other) => placeOf(one.path) - placeOf(other.path))
  .map((route) => `| ${apiRow(route)} |`);
await generateRows(
  'docs/api.md',
  'operations',
  ['| Operation | Permission | Success | What it does |', '| --- | --- | --- | --- |', ...apiRows].join('\n'),
);

/** The methods of the SDK by their first names, in the order in which its page has them. */
const SDK_ORDER = [
  ...['tokens', 'tokenize', 'detokenize', 'proxy', 'applications', 'reactors', 'proxies'],
  ...['sessions', 'access', 'permissions', 'tenants', 'logs'],
];
const orderOf = (method: string): number => SDK_ORDER.indexOf(method.split('.')[0] ?? '');

const sdkRows = allRoutes()
  .filter(({ operation }, at, all) => all.findIndex((each) => each.operation === operation) === at)
  .flatMap(({ operation, method, path }) => {
    const route = operation === 'proxy' ? 'any method of `/proxy` and below' : `\`${method} ${path}\``;
    const { sdk = '', sdkToo = [] } = OPERATIONS[operation] ?? {};
    return [sdk, ...sdkToo].map((name) => [name, route] as const);
  })
  .toSorted(([one], [other]) => orderOf(one) - orderOf(other))
  .map(([name, route]) => `| \`${name}\` | ${route} |`);
await generateRows(
  'docs/sdk.md',
  'operations',
  ['| Method | Route |', '| --- | --- |', ...sdkRows].join('\n'),
);

// Checks the document independently, with the JSON Schemas of the OpenAPI Initiative.
const validator = new Validator();
const { valid, errors } = await validator.validate(file);
const operations = Object.values((document as { paths: Record<string, object> }).paths).flatMap((item) =>
  Object.keys(item),
);
console.log(
  `docs/openapi.json: ${String(operations.length)} operations, OpenAPI ${validator.version} by @seriousme/openapi-schema-validator: ${valid ? 'valid' : JSON.stringify(errors)}`,
);
if (!valid) process.exitCode = 1;

if (isCheck) {
  const findings = await lintDocument(file, document);
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) process.exitCode = 1;
}
