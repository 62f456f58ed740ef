const none = Object.assign(() => undefined, { each: () => () => undefined });

/** `it` and `describe`, which define nothing in some runs. Each file has its own `it`. */
const except = (...runs: readonly (string | undefined)[]) => {
  const isLeftOut = runs.includes(process.env['CLOAKROOM_TESTS']);
  return {
    get it(): jest.It {
      return isLeftOut ? (none as unknown as jest.It) : it;
    },
    get describe(): jest.Describe {
      return isLeftOut ? (none as unknown as jest.Describe) : describe;
    },
  };
};

/**
 * Tests that are too slow for `npm test`. The thorough run has them, and so does a run that names
 * their file or subject.
 */
export const inThoroughRun = except('usual', 'touched');

/**
 * Tests of other ways than the one that the usual run takes: every view, other wrappers, packages
 * as installed. The thorough run has them, and so does `npm test -- --touched` where a change
 * reaches them.
 */
export const whenTouched = except('usual');
