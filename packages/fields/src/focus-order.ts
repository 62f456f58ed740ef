/** The frame of a field reports its focus. */
export type FocusReport = 'focus' | 'blur';

/**
 * Puts the reports of all fields of a page into the order of a page: a field loses the focus before
 * another one gets it. Each frame has a port of its own, and ports have no common order. A `blur`
 * that comes late was reported before.
 */
export function createFocusOrder<F extends object>(report: (field: F, what: FocusReport) => void) {
  let focused: F | undefined;
  function lose(): void {
    const field = focused;
    focused = undefined;
    if (field !== undefined) report(field, 'blur');
  }
  return {
    on(field: F, what: FocusReport): void {
      const hasFocus = field === focused;
      // It is the same report again, or a late one.
      if (hasFocus === (what === 'focus')) return;
      lose();
      if (what === 'blur') return;
      focused = field;
      report(field, 'focus');
    },
    /** A field that leaves the page loses the focus without a word. */
    forget(field: F): void {
      if (field === focused) focused = undefined;
    },
  };
}
