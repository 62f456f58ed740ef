// `npm run build -- import-samples`: the files of examples/import that `cloakroom import` reads.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleFiles } from './import-samples/files.ts';

const FOLDER = join(import.meta.dirname, '../examples/import');

for (const [name, text] of sampleFiles()) writeFileSync(join(FOLDER, name), text);
