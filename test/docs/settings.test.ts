import { readFileSync } from 'node:fs';
import { settingsSchema } from '../../lib/settings.ts';

/** Setting and default of each row below "Settings"; `none` for an empty text or list. */
function documentedDefaults(): Readonly<Record<string, string>> {
  const text = readFileSync('docs/deploy.md', 'utf8');
  const [section = ''] = text.slice(text.indexOf('\n## Settings\n') + 1).split(/\n(?=## )/);
  const rows = section.matchAll(/^\| `(\w+)` +\| `?([^`|]*?)`? +\|/gm);
  return Object.fromEntries([...rows].map(([, name = '', value = '']) => [name, value]));
}

it('docs/deploy.md states the default of each setting', () => {
  const defaults = Object.entries(settingsSchema.parse({})).map(
    ([name, value]) => [name, String(value) || 'none'] as const,
  );
  expect(documentedDefaults()).toEqual(Object.fromEntries(defaults));
});
