import * as z from 'zod/mini';

/** The tags that the functions of reactors get, as `name=value`. An empty variable has none. */
export const tagList = z.pipe(
  z.string(),
  z.transform((list) =>
    Object.fromEntries(
      list
        .split(',')
        .filter((tag) => tag !== '')
        .map((tag) => {
          const end = tag.indexOf('=');
          return [tag.slice(0, end), tag.slice(end + 1)] as const;
        }),
    ),
  ),
);
