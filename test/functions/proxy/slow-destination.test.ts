// The proxy allows a destination 25 seconds. Here its requests are real, and the timer ends when
// the test says so.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { proxyRequest } from '../../../functions/proxy/proxy-request.ts';
import { createHttpsEgressClient } from '../../../src/adapters/egress/https-egress-client.ts';
import { forward, type ForwardDeps } from '../../../src/core/proxy-expressions/forward.ts';
import { apiRequest } from '../../../src/http/api-request.ts';
import { problemOf } from '../../../src/wire/problem.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { anEvent } from '../../support/builders/an-event.ts';
import { anAudit } from '../../support/fakes/an-audit.ts';
import type { Platform } from '../../../src/core/shared/platform.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

/** Begins a response, and never ends it. */
async function aSlowDestination(): Promise<{ server: Server; connected: Promise<unknown[]> }> {
  const server = createServer((_request, response) => {
    response.write('x');
  });
  const connected = once(server, 'connection');
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return { server, connected };
}

it('a destination without a complete response within 25 seconds is 408, without a socket left open', async () => {
  const { server, connected } = await aSlowDestination();
  try {
    const origin = `http://localhost:${String((server.address() as AddressInfo).port)}`;
    const times: number[] = [];
    const startTimer: Platform['startTimer'] = (ms, onEnd) => {
      times.push(ms);
      void connected.then(onEnd);
      return () => undefined;
    };
    const deps = {
      egress: createHttpsEgressClient({ startTimer }),
      egressAllowList: [origin],
      ...machinePlatform,
      audit: anAudit(),
    } as unknown as ForwardDeps;
    const event = anEvent({ method: 'GET', path: '/proxy', headers: { 'SVC-PROXY-URL': origin } });
    const request = proxyRequest(apiRequest(machinePlatform, event, ['SVC']), { headerPrefixes: ['SVC'] });
    const error: unknown = await forward(deps, aCaller({ permissions: ['token:use'] }), request).catch(
      (caught: unknown) => caught,
    );
    expect(times).toEqual([25_000]);
    expect(problemOf(error).problem.status).toBe(408);
    const [socket] = (await connected) as [Socket];
    // `once` would reject if the aborted request resets the connection.
    if (!socket.destroyed) await new Promise((resolve) => socket.on('close', resolve));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
