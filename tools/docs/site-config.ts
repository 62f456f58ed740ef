import type { NavigationGroup } from './site-pages.ts';

/** A build passes this to the generator, as JSON in the variable `CLOAKROOM_DOCS`. */
export interface SiteConfig {
  /** The folder has the Markdown of each page, under its address. */
  readonly pages: string;
  /** The built site goes there. */
  readonly outDir: string;
  /** The path at which the site is served, such as `/docs/`. */
  readonly base: string;
  /** The reference is made from this OpenAPI document. */
  readonly openApiFile: string;
  /** Where "try it" finds a service: an address, or a path of the site's own origin. */
  readonly api: string;
  readonly navigation: readonly NavigationGroup[];
}
