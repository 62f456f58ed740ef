const none = Object.assign(() => undefined, { each: () => () => undefined });

/**
 * `it` and `describe` of tests that are too slow for `npm test`. The thorough run has them, and so
 * does a run that names their file or subject.
 */
export const inThoroughRun: { readonly it: jest.It; readonly describe: jest.Describe } =
  process.env['CLOAKROOM_TESTS'] === 'usual'
    ? { it: none as unknown as jest.It, describe: none as unknown as jest.Describe }
    : { it, describe };
