import { readCondition } from '../../src/http/read-condition.ts';
import { allRoutes } from '../../tools/openapi/all-routes.ts';

/** Further operations that change one resource which exists. */
const POSTS = ['regenerateApplicationKey', 'revertProxy'];
/** Tokens have no entity tag. */
const isOfTokens = (path: string) => path.startsWith('/tokens');

const asking = (value: string) => ({ headers: { 'if-match': value } });

describe('the header If-Match', () => {
  const isChange = ({ method, path, operation }: ReturnType<typeof allRoutes>[number]) =>
    POSTS.includes(operation) || (['PUT', 'PATCH', 'DELETE'].includes(method) && !isOfTokens(path));
  const own = allRoutes().filter(({ passesOn }) => passesOn !== true);

  it('is read by each operation that changes one resource', () => {
    const readers = own.filter(isChange);
    expect(readers.length).toBeGreaterThan(12);
    for (const route of readers)
      expect([route.operation, readCondition(route, asking('"a.1"'))]).toEqual([route.operation, '"a.1"']);
  });

  it('is refused by every other operation, where it would have no effect', () => {
    for (const route of own.filter((each) => !isChange(each)))
      expect(() => readCondition(route, asking('"a.1"'))).toThrow(
        expect.objectContaining({ errors: { 'If-Match': ['is not a header of this operation'] } }),
      );
  });

  it('is the header of the destination in a call of the proxy', () => {
    const forwarding = allRoutes().filter(({ passesOn }) => passesOn === true);
    expect(forwarding.length).toBeGreaterThan(0);
    for (const route of forwarding) expect(readCondition(route, asking('W/"any"'))).toBeUndefined();
  });
});
