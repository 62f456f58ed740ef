import { join } from 'node:path';
import { fieldsHeaders, type FieldsConfig } from '../../packages/fields/headers.ts';
import { createBuiltPages } from './built-pages.ts';
import { WORK_DIRECTORY } from './local-app.ts';
import { fileAnswer, isGet, NO_FILE, NOT_GET, startPageServer } from './page-server.ts';

export interface FieldsServerOptions {
  /** The preferred port; another one if it is in use, and any if it is 0. */
  readonly port: number;
  readonly config: FieldsConfig;
  /** A folder of fonts; empty for none. */
  readonly fonts: string;
  readonly log: (line: string) => void;
}

export interface FieldsServer {
  /** Such as `http://localhost:8789`. */
  readonly url: string;
  close(): Promise<void>;
}

const FILE = /^\/(?:fields\.js|v1\/frame\.html|assets\/[\w.-]+\.(?:css|js|woff2))$/;

/** The pages of this machine, which may embed the fields where no setting names others. */
export const LOOPBACK_ORIGINS: readonly string[] = [
  'http://localhost:*',
  'http://127.0.0.1:*',
  'https://localhost:*',
  'https://127.0.0.1:*',
];

/** Serves the card fields on an origin of their own (docs/fields.md). */
export async function startFields(options: FieldsServerOptions): Promise<FieldsServer> {
  const { config, fonts, log } = options;
  let directory = '';
  let build = (): Promise<void> => Promise.resolve();
  const server = await startPageServer({
    name: 'the fields',
    port: options.port,
    headers: fieldsHeaders(config),
    log,
    async answer(request, path) {
      if (!isGet(request)) return NOT_GET;
      if (!FILE.test(path)) return NO_FILE;
      await build();
      return fileAnswer(directory, path);
    },
  });
  // Services with other settings, at other ports, may run at the same time.
  directory = join(WORK_DIRECTORY, 'fields', String(server.port));
  build = createBuiltPages('tools/build-fields-site.ts', directory, [JSON.stringify(config), fonts]);
  return { url: `http://localhost:${String(server.port)}`, close: () => server.close() };
}
