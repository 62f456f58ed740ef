import type { NavigationGroup } from '../tools/docs/site-pages.ts';

/** What a build hands to the generator, as JSON in the variable `CLOAKROOM_DOCS`. */
export interface SiteConfig {
  /** A folder with the Markdown of each page, under its address. */
  readonly pages: string;
  /** The folder of the built site. */
  readonly outDir: string;
  /** The path at which the site is served, such as `/docs/`. */
  readonly base: string;
  /** The reference is made from this OpenAPI document. */
  readonly openApiFile: string;
  /** Where "try it" finds a service: an address, or a path of the site's own origin. */
  readonly api: string;
  readonly navigation: readonly NavigationGroup[];
}
