// `node tools/build-openapi.ts`: writes docs/openapi.json from the route tables and src/wire, and
// the types of the SDK from it. `--check`: fails if a file differs, if the document is not valid
// OpenAPI, or if a linter has findings.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { formatted } from './formatted.ts';
import { allRoutes } from './openapi/all-routes.ts';
import { createOpenApiDocument } from './openapi/create-document.ts';
import { recordResponses } from './openapi/record-responses.ts';
import { lintDocument } from './openapi/lint-document.ts';
import { sdkTypes } from './openapi/sdk-types.ts';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const file = join(ROOT, 'docs', 'openapi.json');
const document = createOpenApiDocument(allRoutes(), packageJson.version, await recordResponses());
const isCheck = process.argv.includes('--check');

async function generate(path: string, source: string): Promise<void> {
  const wanted = await formatted(path, source);
  if (!isCheck) writeFileSync(path, wanted);
  else if (readFileSync(path, 'utf8') !== wanted) {
    console.error(`${relative(ROOT, path)} is not up to date: \`npm run build -- openapi\` writes it`);
    process.exitCode = 1;
  }
}

await generate(file, JSON.stringify(document));
await generate(join(ROOT, 'packages', 'sdk', 'src', 'resources.ts'), sdkTypes(document));

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
