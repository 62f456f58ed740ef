// The monthly cost of an idle deployment and of a million requests: `npm run build -- costs` prints
// it, `-- --write` writes it to docs/deploy.md, and the documentation check compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { floodTable } from './costs/flood-table.ts';
import { alarmTable, idleTable } from './costs/idle-table.ts';
import { requestCosts } from './costs/request-costs.ts';
import { operationTable, requestTable } from './costs/request-tables.ts';
import { templateResources } from './costs/template-resources.ts';
import { formatted } from './formatted.ts';

const DOCUMENT = 'docs/deploy.md';
const COUNTED = 'docs/performance/figures.md';
const BLOCK = /<!-- costs -->[^]*?<!-- end -->/;
const FLOODS = /<!-- costs of floods -->[^]*?<!-- end -->/;
const ALARMS = /<!-- costs of alarms -->[^]*?<!-- end -->/;

/** All tables of the section: idle, per request, per operation. */
async function costsTables(): Promise<string> {
  const costs = requestCosts(templateResources());
  const operations = operationTable(readFileSync(COUNTED, 'utf8'), costs);
  return [await idleTable(), requestTable(costs), operations].join('\n\n');
}

const floods = (): string => floodTable(readFileSync(COUNTED, 'utf8'), requestCosts(templateResources()));

/** The document with the costs of the current templates. */
export async function withCosts(): Promise<string> {
  const text = readFileSync(DOCUMENT, 'utf8');
  if (![BLOCK, ALARMS, FLOODS].every((place) => place.test(text)))
    throw new Error(`${DOCUMENT} has no place for the costs`);
  const tables = await costsTables();
  const written = text
    .replace(ALARMS, () => `<!-- costs of alarms -->\n\n${alarmTable()}\n\n<!-- end -->`)
    .replace(FLOODS, () => `<!-- costs of floods -->\n\n${floods()}\n\n<!-- end -->`)
    .replace(BLOCK, () => `<!-- costs -->\n\n${tables}\n\n<!-- end -->`);
  return formatted(DOCUMENT, written);
}

if (import.meta.main) {
  console.log(`${await costsTables()}\n\n${alarmTable()}\n\n${floods()}`);
  if (process.argv.includes('--write')) writeFileSync(DOCUMENT, await withCosts());
}
