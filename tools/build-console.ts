// `node tools/build-console.ts DIRECTORY` writes the static files of the console into a folder:
// `index.html`, and below `assets/` what changes its name with its content.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [DIRECTORY = ''] = process.argv.slice(2);
const PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Cloakroom</title>' +
  '<link rel="stylesheet" href="assets/console.css"><p>Cloakroom</p></html>\n';

mkdirSync(join(DIRECTORY, 'assets'), { recursive: true });
writeFileSync(join(DIRECTORY, 'index.html'), PAGE);
writeFileSync(join(DIRECTORY, 'assets/console.css'), 'p { font-family: sans-serif; }\n');
