// `node tools/build-reference.ts FOLDER`: the page of docs/openapi.json as files that need no other
// host. Redoc comes as a single file of its package, whose installation adds a hundred packages.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cache, fetchPublished } from './published-package.ts';

const REDOC = {
  name: 'redoc',
  version: '2.5.4',
  sha512: 'M6jWhG1qoBnH6TFmzJnstyCZ87HmOY/UzDm78mHiYihEdlV/YcS9ogOo1NlElnJMeLsyxHFe2yFc4sNjHTrABQ==',
};
const SCRIPT = 'redoc.standalone.js';
const LICENSES = 'redoc.standalone.js.LICENSE.txt';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Cloakroom: reference</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta
      http-equiv="Content-Security-Policy"
      content="default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'"
    />
    <link rel="icon" href="data:," />
    <style>
      body {
        margin: 0;
      }
    </style>
  </head>
  <body>
    <redoc spec-url="openapi.json" expand-responses="200,201" path-in-middle-panel></redoc>
    <script src="${SCRIPT}"></script>
  </body>
</html>
`;

const folder = join(cache, `redoc-${REDOC.version}`);
if (!existsSync(join(folder, LICENSES)))
  fetchPublished(
    REDOC,
    folder,
    [SCRIPT, LICENSES].map((file) => ({ from: `bundles/${file}`, to: file })),
  );

const target = resolve(process.argv[2] ?? 'dist/reference');
mkdirSync(target, { recursive: true });

/** A concurrent reader gets a complete file, the old or the new one. */
function put(name: string, text: string): void {
  const draft = join(target, `${name}.${String(process.pid)}`);
  writeFileSync(draft, text);
  renameSync(draft, join(target, name));
}

// Its footer loads a picture from another host, which would learn who reads the page.
const script = readFileSync(join(folder, SCRIPT), 'utf8').replace(
  /https:\/\/cdn\.redoc\.ly\/[^"'`]*/g,
  'data:,',
);
put(SCRIPT, script);
put(LICENSES, readFileSync(join(folder, LICENSES), 'utf8'));
put('openapi.json', readFileSync(join(import.meta.dirname, '..', 'docs', 'openapi.json'), 'utf8'));
put('index.html', PAGE);
console.log(target);
