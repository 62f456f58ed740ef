const none = Object.assign(() => undefined, { each: () => () => undefined });
const IS_USUAL = process.env['CLOAKROOM_TESTS'] === 'usual';

/**
 * `it` and `describe` of tests that are too slow for `npm test`. The thorough run has them, and so
 * does a run that names their file or subject. The files of a worker share this module, and each
 * file has its own `it`.
 */
export const inThoroughRun = {
  get it(): jest.It {
    return IS_USUAL ? (none as unknown as jest.It) : it;
  },
  get describe(): jest.Describe {
    return IS_USUAL ? (none as unknown as jest.Describe) : describe;
  },
};
