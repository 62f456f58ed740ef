import { satteri } from '@astrojs/markdown-satteri';
import starlight from '@astrojs/starlight';
import { passthroughImageService } from 'astro/config';
import type { AstroUserConfig } from 'astro';
import starlightOpenApi, { openAPISidebarGroups } from 'starlight-openapi';
import type { SiteConfig } from '../tools/docs/site-config.ts';

/** Reference pages follow the guides in the navigation. */
const BEFORE_OPERATIONS = 'Reference';

/** The pages of the error codes, by their codes. */
const ERRORS = { label: 'Error codes', collapsed: true, items: [{ autogenerate: { directory: 'errors' } }] };

function siteConfig(config: SiteConfig): AstroUserConfig {
  const groups = config.navigation.map(({ label, pages }) => ({
    label,
    items: pages.map(({ label: text, slug }) => ({ label: text, slug })),
  }));
  const at = groups.findIndex(({ label }) => label === BEFORE_OPERATIONS) + 1;
  return {
    base: config.base,
    outDir: config.outDir,
    // See build.ts.
    vite: { resolve: { preserveSymlinks: true } },
    // Options of commands have two hyphens, and stay so.
    markdown: { processor: satteri({ features: { smartPunctuation: false } }) },
    image: { service: passthroughImageService() },
    integrations: [
      starlight({
        title: 'Cloakroom',
        description: 'A tokenization service for your own AWS account.',
        credits: false,
        customCss: ['./src/styles.css'],
        components: { PageTitle: './src/components/PageTitle.astro' },
        favicon: '/favicon.svg',
        sidebar: [...groups.slice(0, at), ERRORS, ...openAPISidebarGroups, ...groups.slice(at)],
        plugins: [
          starlightOpenApi([
            {
              base: 'reference',
              schema: config.openApiFile,
              sidebar: {
                label: 'Operations',
                collapsed: true,
                operations: { labels: 'summary', badges: true },
              },
            },
          ]),
        ],
      }),
    ],
  };
}

export default siteConfig(JSON.parse(process.env['CLOAKROOM_DOCS'] ?? '') as SiteConfig);
