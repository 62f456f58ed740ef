import { readdirSync } from 'node:fs';
import { API_PATHS } from '../../lib/api-paths.ts';

it('the gateway routes the first segments of the routes of each function, and no others', async () => {
  const withRoutes = readdirSync('functions').filter((name) =>
    readdirSync(`functions/${name}`).includes('routes.ts'),
  );
  const found = await Promise.all(
    withRoutes.map(async (name) => {
      const { routes } = (await import(`../../functions/${name}/routes.ts`)) as {
        readonly routes: readonly { readonly path: string }[];
      };
      return [name, [...new Set(routes.map(({ path }) => `/${path.split('/')[1] ?? ''}`))]];
    }),
  );
  expect(API_PATHS).toEqual(Object.fromEntries(found));
});
