import { request as httpRequest } from 'node:http';
import { createContractCheck } from '../../../bin/start/contract-check.ts';
import { openVault } from '../../../packages/testing/src/open-vault.ts';
import { startDestination, type TestDestination } from '../destination.ts';
import { fetchBy } from '../http-client.ts';
import { CONTRACT, EGRESS_ALLOW_LIST } from '../run-service.ts';
import type { Target } from './target.ts';

/** Passes a request on to a server of this machine, and its response back. */
async function forwarded(request: Request, port: number): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: 'localhost',
        port,
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        agent: false,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const { statusCode = 0, rawHeaders } = incoming;
          const headers = new Headers();
          for (let at = 0; at < rawHeaders.length; at += 2)
            headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
          const content = Buffer.concat(chunks);
          const isEmpty = [204, 205, 304].includes(statusCode);
          resolve(new Response(isEmpty ? null : content, { status: statusCode, headers }));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

let opened = 0;

/** Starts the testing package, from its source. */
export async function memoryTarget(): Promise<Target> {
  opened += 1;
  // Each has an address of its own, by which a client finds it.
  const { vault, createTenant } = await openVault({
    baseUrl: `https://vault-${String(opened)}.test`,
    egressAllowList: EGRESS_ALLOW_LIST,
  });
  const contract = createContractCheck(CONTRACT);
  const forget = fetchBy(vault.baseUrl, async (url, init) => {
    const response = await vault.fetch(url, init);
    const { pathname: path } = new URL(url);
    const { status, headers } = response;
    const exchange = { method: init.method ?? 'GET', path, status, headers: Object.fromEntries(headers) };
    const body = Buffer.from(await response.clone().arrayBuffer());
    const violation = contract.check({ ...exchange, body });
    if (violation !== undefined) throw new Error(`not as ${CONTRACT} says: ${violation}`);
    return response;
  });
  const servers: TestDestination[] = [];
  return {
    name: 'memory',
    allowsPackages: true,
    credentials: {
      base_url: vault.baseUrl,
      tenant_id: vault.tenantId,
      management_key: vault.managementKey,
      webhook_secret: vault.webhookSecret,
    },
    now: () => vault.clock.now().getTime(),
    shortLifetimeMs: 1_500,
    pass: (ms) => vault.clock.advance(ms),
    createTenant: async (name) => {
      const { tenantId, managementKey } = await createTenant(name);
      return { base_url: vault.baseUrl, tenant_id: tenantId, management_key: managementKey };
    },
    openDestination: async () => {
      const server = await startDestination();
      servers.push(server);
      vault.destination(`https://localhost:${String(server.port)}`, (request) =>
        // A broken connection of the server is one here.
        forwarded(request, server.port).catch(() => Response.error()),
      );
      return server;
    },
    openApart: memoryTarget,
    close: async () => {
      forget();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
