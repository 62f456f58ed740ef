import { docsSchema } from '@astrojs/starlight/schema';
import { glob } from 'astro/loaders';
import { defineCollection } from 'astro:content';
import type { SiteConfig } from '../../tools/docs/site-config.ts';

const { pages } = JSON.parse(process.env['CLOAKROOM_DOCS'] ?? '') as SiteConfig;

/** Pages that `tools/build-docs.ts` writes from docs/, under their addresses. */
export const collections = {
  docs: defineCollection({
    loader: glob({
      base: pages,
      pattern: '**/*.md',
      generateId: ({ entry }) => entry.replace(/\.md$/, ''),
    }),
    schema: docsSchema(),
  }),
};
