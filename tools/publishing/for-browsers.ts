import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const SOURCE = join(import.meta.dirname, '..', '..', 'packages', 'sdk', 'src');

/** Browsers have what Node 16 lacks: their build does not even name a module of Node. */
export const forBrowsers: Plugin = {
  name: 'for-browsers',
  setup(building) {
    building.onResolve({ filter: /^\.\/platform\.ts$/ }, () => ({
      path: join(SOURCE, 'platform.browser.ts'),
    }));
  },
};
