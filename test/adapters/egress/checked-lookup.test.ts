import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkedLookup, ForbiddenAddressError } from '../../../src/adapters/egress/checked-lookup.ts';
import { createHttpsEgressClient } from '../../../src/adapters/egress/https-egress-client.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const PUBLIC = { address: '93.184.216.34', family: 4 };
const LOOPBACK = { address: '127.0.0.1', family: 4 };

/**
 * A resolver that returns one list after the other, like a name that changes between two look-ups.
 */
function responding(...responses: readonly (readonly LookupAddress[])[]) {
  let asked = 0;
  const resolveAll = (
    _name: string,
    done: (error: Error | null, addresses?: readonly LookupAddress[]) => void,
  ) => {
    done(null, responses[Math.min(asked, responses.length - 1)]);
    asked += 1;
  };
  return { resolveAll, timesAsked: () => asked };
}

const lookedUp = (resolveAll: Parameters<typeof checkedLookup>[0], all: boolean) =>
  new Promise((resolve, reject) => {
    checkedLookup(resolveAll)('name.example', { all }, (error, address) =>
      error ? reject(error) : resolve(address),
    );
  });

describe('the checked look-up', () => {
  it('returns the address that it has checked', async () => {
    await expect(lookedUp(responding([PUBLIC]).resolveAll, false)).resolves.toBe(PUBLIC.address);
    await expect(lookedUp(responding([PUBLIC]).resolveAll, true)).resolves.toEqual([PUBLIC]);
  });

  it('rejects a name if a single one of its addresses is forbidden', async () => {
    await expect(lookedUp(responding([PUBLIC, LOOPBACK]).resolveAll, true)).rejects.toBeInstanceOf(
      ForbiddenAddressError,
    );
    await expect(lookedUp(responding([LOOPBACK]).resolveAll, false)).rejects.toBeInstanceOf(
      ForbiddenAddressError,
    );
  });

  it('fails for a name without addresses, and for one that cannot be resolved', async () => {
    await expect(lookedUp(responding([]).resolveAll, true)).rejects.toThrow('no address');
    await expect(lookedUp((_name, done) => done(new Error('ENOTFOUND')), true)).rejects.toThrow('ENOTFOUND');
  });
});

let server: Server | undefined;
afterEach(() => server?.close());

describe('the egress client', () => {
  const request = (url: string) => ({
    destination: { url: new URL(url), isAdmitted: false },
    method: 'GET',
    target: new Secret('/'),
    headers: new Secret([]),
    body: new Secret(Buffer.alloc(0)),
    timeoutMs: 2_000,
    bodyMaxBytes: 1_000,
  });

  it('connects to no name that leads to this machine, and resolves a name once, so that a second result cannot trick it', async () => {
    let connections = 0;
    server = createServer().on('connection', () => (connections += 1));
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const rebinding = responding([LOOPBACK], [PUBLIC]);
    await expect(
      createHttpsEgressClient(machinePlatform, rebinding.resolveAll).send(
        request(`http://rebind.example:${String(port)}/`),
      ),
    ).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect([connections, rebinding.timesAsked()]).toEqual([0, 1]);
  });

  it('names no host and no address in its errors', async () => {
    const failing = createHttpsEgressClient(machinePlatform, (_name, done) =>
      done(new Error('secret.internal 10.1.2.3')),
    );
    const error: unknown = await failing
      .send(request('https://secret.example/'))
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'destination_unreachable',
      message: 'The destination cannot be reached.',
    });
  });
});
