// Builds the site, in a process of its own. Vite cannot read a path with `#` or `?`, so it must not
// learn that its packages may be in such a folder: symbolic links are not resolved.
import { join } from 'node:path';
import { build, type AstroInlineConfig } from 'astro';
import { runnerImport } from 'vite';

const root = import.meta.dirname;
const config = await runnerImport<{ readonly default: AstroInlineConfig }>(join(root, 'astro.config.ts'), {
  root,
  resolve: { preserveSymlinks: true },
});
await build({ ...config.module.default, configFile: false, root, logLevel: 'error' });
