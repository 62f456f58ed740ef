// `node tools/build-openapi.ts`: writes docs/openapi.json from the route tables. `--check`: fails
// if the file differs, is not valid OpenAPI, or a linter has findings.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { format, resolveConfig } from 'prettier';
import { allRoutes } from './openapi/all-routes.ts';
import { createOpenApiDocument } from './openapi/create-document.ts';
import { lintDocument } from './openapi/lint-document.ts';
import packageJson from '../package.json' with { type: 'json' };

const file = join(import.meta.dirname, '..', 'docs', 'openapi.json');
const document = createOpenApiDocument(allRoutes(), packageJson.version);
const wanted = await format(JSON.stringify(document), { ...(await resolveConfig(file)), filepath: file });

if (!process.argv.includes('--check')) writeFileSync(file, wanted);
else if (readFileSync(file, 'utf8') !== wanted) {
  console.error('docs/openapi.json is not what the route tables say: node tools/build-openapi.ts writes it');
  process.exitCode = 1;
}

// An independent check: the JSON Schemas of the OpenAPI Initiative.
const validator = new Validator();
const { valid, errors } = await validator.validate(file);
const operations = Object.values((document as { paths: Record<string, object> }).paths).flatMap((item) =>
  Object.keys(item),
);
console.log(
  `docs/openapi.json: ${String(operations.length)} operations, OpenAPI ${validator.version} by @seriousme/openapi-schema-validator: ${valid ? 'valid' : JSON.stringify(errors)}`,
);
if (!valid) process.exitCode = 1;

if (process.argv.includes('--check')) {
  const findings = await lintDocument(file, document);
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) process.exitCode = 1;
}
