import type { Route } from '../../src/http/route.ts';
import { RESOURCES, routeTable } from '../../src/http/route-table.ts';
import { allRoutes } from '../../tools/openapi/all-routes.ts';

const aRoute = (method: Route<unknown>['method'], path: string): Route<unknown> => ({
  operation: `${method} ${path}`,
  method,
  path,
  success: 200,
  handle: () => Promise.resolve({}),
});
const match = routeTable([
  aRoute('GET', '/things/{id}'),
  aRoute('PUT', '/things/{id}'),
  aRoute('GET', '/things/key'),
  aRoute('POST', '/things'),
  aRoute('GET', '/things'),
  aRoute('POST', '/things/{id}/parts/{part}'),
]);
const found = (method: string, path: string) => {
  const { route, params } = match(method, path);
  return [route.operation, params];
};

describe('the route table', () => {
  it.each([
    ['GET', '/things', 'GET /things', {}],
    ['GET', '/things/1', 'GET /things/{id}', { id: '1' }],
    ['GET', '/things/key', 'GET /things/key', {}],
    ['POST', '/things/a%20b/parts/c%2Fd', 'POST /things/{id}/parts/{part}', { id: 'a b', part: 'c/d' }],
    ['GET', '/things/a%252Fb', 'GET /things/{id}', { id: 'a%2Fb' }],
    ['GET', '/things/%C5%BC', 'GET /things/{id}', { id: 'ż' }],
    ['GET', '/things/__proto__', 'GET /things/{id}', { id: '__proto__' }],
    ['GET', '/things/a+b', 'GET /things/{id}', { id: 'a+b' }],
    ['GET', '/things/..', 'GET /things/{id}', { id: '..' }],
  ])('%s %s is %s', (method, path, operation, params) => {
    expect(found(method, path)).toEqual([operation, params]);
  });

  it.each([
    '/',
    '',
    '/thing',
    '/Things',
    '/things/',
    '/things//parts/x',
    '/things/1/parts',
    '/things/1/2',
    '//things',
    '/things/%',
    '/things/%zz',
    '/things/%E0%A4',
    '/%74hings',
  ])('%s is not found', (path) => {
    expect(() => match('GET', path)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('lists the first segments of all paths of the service', () => {
    const first = new Set(allRoutes().map(({ path }) => path.split('/')[1]));
    expect([...first].sort()).toEqual([...RESOURCES].sort());
    expect(() => match('GET', '/zzzzzz')).toThrow(
      `There are ${RESOURCES.map((resource) => `/${resource}`).join(', ')}.`,
    );
  });

  it.each([
    ['/log', '/logs'],
    ['/Logs', '/logs'],
    ['/proxys', '/proxy'],
    ['/token', '/tokens'],
    ['/detokenise', '/detokenize'],
    ['/v1/tokens', '/tokens'],
  ])('%s is answered with the suggestion %s', (path, near) => {
    expect(() => match('GET', path)).toThrow(`There is no such path. Did you mean ${near}?`);
  });

  it.each([
    ['DELETE', '/things', 'GET, POST'],
    ['POST', '/things/1', 'GET, PUT'],
    // An operation, never a thing with this name.
    ['DELETE', '/things/key', 'GET'],
    ['PUT', '/things/key', 'GET'],
    ['HEAD', '/things/1/parts/2', 'POST'],
    ['get', '/things', 'GET, POST'],
  ])('%s %s is not allowed, and the error lists the allowed methods', (method, path, allow) => {
    expect(() => match(method, path)).toThrow(
      expect.objectContaining({ code: 'method_not_allowed', headers: { Allow: allow } }),
    );
  });
});

it('the operations that respond with tokens take a transform, and no other does', () => {
  const taking = allRoutes().filter(({ takesTransform }) => takesTransform === true);
  expect(taking.map(({ operation }) => operation).sort()).toEqual([
    'createToken',
    'detokenize',
    'getToken',
    'listTokens',
    'searchTokens',
    'updateToken',
  ]);
});
