import {
  fileAnswer,
  isGet,
  NO_FILE,
  NOT_GET,
  startPageServer,
  type PageServer,
} from '../../../../bin/start/page-server.ts';
import manifest from '../../package.json' with { type: 'json' };
import { DIST } from './package-folder.ts';

/** The path of a page of the site, which cannot lead out of its folder. */
export const PAGE_PATH = /^(?:\/(?!\.)[\w.~-]+)*\/?$/;

/** The sources of the pages of this version; the site itself is larger than the package. */
const PAGES = `${manifest.homepage}/blob/v${manifest.version}/docs`;

/**
 * Takes the place of bin/start/docs-server.ts: serves the OpenAPI document, and sends a browser to
 * the pages of this version.
 */
export const startDocs = ({
  port,
  log,
}: {
  port: number;
  log: (line: string) => void;
}): Promise<PageServer> =>
  startPageServer({
    name: 'the documentation',
    port,
    headers: {},
    log,
    async answer(request, path) {
      if (!isGet(request)) return NOT_GET;
      if (!PAGE_PATH.test(path)) return NO_FILE;
      if (path === '/openapi.json') return fileAnswer(DIST, path);
      const page = path.replace(/\/$/, '');
      const isIndex = ['', '/errors', '/decisions', '/performance'].includes(page);
      const Location = isIndex ? `${PAGES}${page}/README.md` : `${PAGES}${page}.md`;
      return { ...NO_FILE, status: 302, body: '', headers: { Location } };
    },
  });
