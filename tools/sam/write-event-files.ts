import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { strictClient } from '../../test/support/http-client.ts';
import { CARD } from '../../test/support/sample-requests.ts';

/** The running service, and a key that may create applications. */
export interface Service {
  readonly baseUrl: string;
  readonly managementKey: string;
  /** Is in lower case, such as `svc`. */
  readonly headerPrefix: string;
}

const FOLDER = join(import.meta.dirname, '..', '..', 'examples', 'sam');
const DAY_MS = 24 * 60 * 60 * 1000;

const application = z.object({ key: z.string() });
const token = z.object({ id: z.string() });

function create(service: Service, key: string, path: string, body: object): Promise<unknown> {
  const headers = { [`${service.headerPrefix}-api-key`]: key };
  return strictClient(service.baseUrl, undefined)('POST', path, body, { headers });
}

/** Creates the data of the events: an application of the first tenant, for a day, and its card. */
async function valuesOf(service: Service): Promise<Readonly<Record<string, string>>> {
  const { key } = application.parse(
    await create(service, service.managementKey, '/applications', {
      name: 'sam local',
      type: 'private',
      permissions: ['token:create', 'token:read', 'token:use'],
      expires_at: new Date(Date.now() + DAY_MS).toISOString(),
    }),
  );
  const { id } = token.parse(
    await create(service, key, '/tokens', {
      type: 'card',
      data: CARD,
    }),
  );
  return { MANAGEMENT_KEY: service.managementKey, APPLICATION_KEY: key, TOKEN_ID: id };
}

/** Writes each event of `examples/sam` with keys and ids, which a repository cannot contain. */
export async function writeEventFiles(service: Service, directory: string): Promise<void> {
  const values = await valuesOf(service);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const file of globSync(join(FOLDER, '*.json'))) {
    const event = readFileSync(file, 'utf8')
      .replaceAll(/<([A-Z_]+)>/g, (mark, name: string) => values[name] ?? mark)
      .replaceAll('"svc-', `"${service.headerPrefix}-`);
    writeFileSync(join(directory, basename(file)), event, { mode: 0o600 });
  }
}
