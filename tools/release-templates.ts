// Writes the templates of today as those of the last release (CONTRIBUTING.md, "I want to release a
// version"): test/lib/upgrade.test.ts plays upgrades from them, and rollbacks to them.
import { writeFileSync } from 'node:fs';
import { RELEASE_SETTINGS } from './templates/release-settings.ts';
import { mergePatchOf, printedTemplates } from './templates/stored-templates.ts';
import { templatesOf } from './templates/service-app.ts';

const FILE = 'test/lib/last-release.json';

const templates = Object.entries(RELEASE_SETTINGS).map(
  ([name, { settings, region }]) => [name, templatesOf(settings, region)] as const,
);
const [first] = templates;
const stored = templates.map(([name, all]): [string, unknown] => [
  name,
  all === first?.[1] ? all : mergePatchOf(first?.[1], all),
]);
writeFileSync(FILE, printedTemplates(Object.fromEntries(stored)));
console.log(`${FILE}: ${String(templates.length)} settings`);
