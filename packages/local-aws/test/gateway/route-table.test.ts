import { createRouteTable } from '../../src/gateway/route-table.ts';

const keys = [
  '$default',
  'ANY /{proxy+}',
  'ANY /pets/{proxy+}',
  'ANY /pets/dog/{id}',
  'GET /pets/dog/{id}',
  'GET /pets/dog/1',
  'GET /pets/{kind}/food',
  'POST /pets',
];
// The order in which routes are defined has no effect.
const routes = createRouteTable(keys.toReversed().map((routeKey) => ({ routeKey, target: routeKey })));
const match = (method: string, path: string): ReturnType<typeof routes> =>
  routes(method, path.slice(1).split('/'));

it.each([
  ['GET', '/pets/dog/1', 'GET /pets/dog/1', {}],
  ['GET', '/pets/dog/2', 'GET /pets/dog/{id}', { id: '2' }],
  ['POST', '/pets/dog/1', 'ANY /pets/dog/{id}', { id: '1' }],
  ['GET', '/pets/dog/food', 'GET /pets/dog/{id}', { id: 'food' }],
  ['GET', '/pets/cat/food', 'GET /pets/{kind}/food', { kind: 'cat' }],
  ['POST', '/pets/cat/food', 'ANY /pets/{proxy+}', { proxy: 'cat/food' }],
  ['GET', '/pets/a/b/c', 'ANY /pets/{proxy+}', { proxy: 'a/b/c' }],
  ['POST', '/pets', 'POST /pets', {}],
  ['GET', '/pets', 'ANY /{proxy+}', { proxy: 'pets' }],
  ['GET', '/pets/', 'ANY /pets/{proxy+}', { proxy: '' }],
  ['GET', '/pets/dog/2/', 'ANY /pets/{proxy+}', { proxy: 'dog/2/' }],
  ['GET', '/other', 'ANY /{proxy+}', { proxy: 'other' }],
])('%s %s matches %s', (method, path, routeKey, pathParameters) => {
  expect(match(method, path)).toEqual({ routeKey, target: routeKey, pathParameters });
});

it('values of variables are decoded after the route is chosen', () => {
  expect(routes('GET', ['pets', 'dog', 'a%2Fb'])).toMatchObject({
    routeKey: 'GET /pets/dog/{id}',
    pathParameters: { id: 'a/b' },
  });
});

it('a table without $default matches nothing else', () => {
  const only = createRouteTable([{ routeKey: 'GET /a', target: 1 }]);
  expect(only('GET', ['a'])).toBeDefined();
  expect(only('GET', ['a', ''])).toBeUndefined();
  expect(only('POST', ['a'])).toBeUndefined();
  expect(only('GET', [''])).toBeUndefined();
});

it('the $default route matches all other requests', () => {
  const table = createRouteTable([{ routeKey: '$default', target: 1 }]);
  expect(table('PUT', ['x'])).toEqual({ routeKey: '$default', target: 1, pathParameters: {} });
});

it.each(['GET', 'GET tokens', 'GET /{a+}/b'])('%s is not a route key', (routeKey) => {
  expect(() => createRouteTable([{ routeKey, target: 1 }])).toThrow(routeKey);
});
