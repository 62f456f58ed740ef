import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsHeaders, type FieldsConfig } from '../../packages/fields/headers.ts';
import { writeFieldsSite } from '../../lib/fields-site.ts';
import { createBuiltAssets } from './built-assets.ts';
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
  const built = createBuiltAssets('fields');
  let written: Promise<string> | undefined;
  // Services with other settings, at other ports, may run at the same time.
  const write = async (port: number): Promise<string> => {
    const directory = join(WORK_DIRECTORY, 'fields', String(port));
    const files = await built();
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    writeFieldsSite(files, directory, config, fonts);
    return directory;
  };
  const server = await startPageServer({
    name: 'the fields',
    port: options.port,
    headers: fieldsHeaders(config),
    log,
    async answer(request, path) {
      if (!isGet(request)) return NOT_GET;
      if (!FILE.test(path)) return NO_FILE;
      written ??= write(server.port);
      // The next request tries again.
      written.catch(() => (written = undefined));
      return fileAnswer(await written, path);
    },
  });
  return { url: `http://localhost:${String(server.port)}`, close: () => server.close() };
}
