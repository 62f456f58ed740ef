import { bodyRoutes } from '../../../tools/bench/hostile-bodies/hostile-requests.ts';
import { proxyRoutes } from '../../../tools/bench/hostile-bodies/hostile-proxies.ts';
import { withoutRequests } from '../../../tools/bench/hostile-bodies/routes-with-bodies.ts';

it('the benchmark of hostile bodies has a request for every route with a body', () => {
  const application = { id: 'a', key: 'a' };
  const ids = { applicationId: 'a', keyId: 'a', reactorId: 'a' };
  const world = { ...ids, revealing: application, management: 'a' };
  const routes = [
    ...bodyRoutes(world, 'a', 'a', 'https://example.com/'),
    ...proxyRoutes({ id: 'a', keyId: 'a', management: 'a' }),
  ];
  expect(withoutRequests(routes.map(({ method, pattern }) => `${method} ${pattern}`))).toEqual([]);
});
