import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import type { GatewayResponse } from '../../packages/local-aws/src/gateway/gateway-responses.ts';
import { createBuiltPages } from './built-pages.ts';

const PREFIX = '/docs';

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'openapi.json': 'application/json',
  'redoc.standalone.js': 'text/javascript; charset=utf-8',
  'redoc.standalone.js.LICENSE.txt': 'text/plain; charset=utf-8',
};

function unavailable(): GatewayResponse {
  const body = `The reference page cannot be built: the npm registry, which has Redoc, is unreachable.
`;
  return { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/**
 * The reference page at `/docs`, on the address of an API without such a path: static files that
 * `tools/build-reference.ts` builds into `directory` at the first request.
 */
export function createReferencePage(
  directory: string,
  log: (line: string) => void,
): (path: string) => Promise<GatewayResponse | undefined> {
  const build = createBuiltPages('tools/build-reference.ts', directory);

  return async (path) => {
    if (path === PREFIX) return { status: 308, headers: { location: `${PREFIX}/` }, body: '' };
    if (!path.startsWith(`${PREFIX}/`)) return undefined;
    const name = path === `${PREFIX}/` ? 'index.html' : path.slice(PREFIX.length + 1);
    if (!Object.hasOwn(TYPES, name)) return undefined;
    const type = TYPES[name] ?? '';
    try {
      await build();
      const body = await readFile(join(directory, name), 'utf8');
      return { status: 200, headers: { 'content-type': type, 'cache-control': 'no-store' }, body };
    } catch (error) {
      log(`the reference page: ${errorMessage(error)}`);
      return unavailable();
    }
  };
}
