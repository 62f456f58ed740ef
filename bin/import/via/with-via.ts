import type { Client } from '../../../packages/sdk/src/index.ts';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { connectionOf, type Connection } from '../../command-line/connection.ts';
import { UsageError } from '../../command-line/failures.ts';
import type { ServiceSurroundings } from '../../command-line/service-call.ts';
import type { ImportService } from '../service.ts';
import type { SendThrough } from './send-row.ts';
import { makeViaKey, type KeyMaker } from './via-key.ts';
import { viaService } from './via-service.ts';

/** The options about another vault, as commander names them. */
export interface ViaFlags {
  /** A file with the aliases of that vault. */
  readonly ids?: string;
  readonly via?: string;
  readonly viaApplication?: string;
  readonly viaAddress?: readonly string[];
  readonly viaHours: number;
  readonly viaHeader?: readonly (readonly [name: string, value: string])[];
  readonly viaSecret?: readonly (readonly [name: string, source: string])[];
}

const SECONDS_MAX = 60;

/** Throws {@link UsageError} for options that do not go together. */
export function checkVia(flags: ViaFlags): void {
  const { ids, via, viaApplication } = flags;
  const others = [via, viaApplication, flags.viaAddress, flags.viaHeader, flags.viaSecret];
  if (ids === undefined) {
    if (others.some((each) => each !== undefined)) throw new UsageError('--via needs --ids FILE');
    return;
  }
  if (via === undefined || viaApplication === undefined)
    throw new UsageError('--ids needs --via URL and --via-application ID');
  if (!URL.canParse(via)) throw new UsageError('--via is not a URL');
  const { protocol, hostname } = new URL(via);
  if (protocol !== 'https:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))
    throw new UsageError('--via must begin with https://, since keys go there');
}

/** The headers for the other vault, of which some are secrets. */
async function headersOf(
  { viaHeader = [], viaSecret = [] }: ViaFlags,
  environment: ServiceSurroundings['environment'],
): Promise<Readonly<Record<string, Secret<string>>>> {
  const found = viaHeader.map(([name, value]) => [name, new Secret(value)] as const);
  const secrets: (readonly [string, Secret<string>])[] = [];
  for (const [name, keyFrom] of viaSecret) {
    // The sources of keys are those of secrets too. No address is needed to read one.
    const flags = { keyFrom, url: 'https://localhost', headerPrefix: 'SVC' };
    secrets.push([name, new Secret((await connectionOf(flags, environment)).apiKey)]);
  }
  const all = [...found, ...secrets];
  for (const [name] of all)
    if (!/^[\w-]+$/.test(name))
      throw new UsageError('--via-header and --via-secret need the name of a header');
  return Object.fromEntries(all);
}

const makerOf = ({ applications }: Client): KeyMaker => ({
  retrieve: async (id) => (await applications.retrieve(id)) as unknown as JsonObject,
  createKey: async (id, body) => await applications.keys.create(id, body),
  deleteKey: async (id, key) => {
    await applications.keys.delete(id, key);
  },
});

/** Most bytes that are read of an answer. One of this service has less. */
const ANSWER_MAX_BYTES = 1_000_000;

/** The text of an answer, or nothing of one that is too large. */
async function limitedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_MAX_BYTES) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A redirect would carry the keys elsewhere, so none is followed. */
const sendWith =
  (send: typeof fetch): SendThrough =>
  async (url, init) => {
    const signal = AbortSignal.timeout(SECONDS_MAX * 1_000);
    const response = await send(url, { ...init, redirect: 'error', signal });
    return { status: response.status, text: () => limitedText(response) };
  };

/**
 * Works with a service behind another vault, under a key that is made for this run and deleted at
 * its end. Rejects with {@link UsageError} if no such key may be made.
 */
export async function withVia<T>(
  flags: ViaFlags,
  { environment, fetch: own }: ServiceSurroundings,
  {
    client,
    headerPrefix,
    now,
  }: { readonly client: Client; readonly now: number } & Pick<Connection, 'headerPrefix'>,
  work: (service: ImportService) => Promise<T>,
): Promise<T> {
  const {
    via: url = '',
    viaApplication: application = '',
    viaAddress: addresses = [],
    viaHours: hours,
  } = flags;
  const headers = await headersOf(flags, environment);
  const { key, end } = await makeViaKey(makerOf(client), { application, addresses, hours }, now);
  try {
    const send = sendWith((own as typeof fetch | undefined) ?? fetch);
    return await work(viaService({ send }, { url, headers, key, headerPrefix }));
  } finally {
    await end();
  }
}
