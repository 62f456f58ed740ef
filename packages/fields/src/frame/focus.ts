/** The focus of a field, as its page and its person know it. */
export interface FieldFocus {
  /** The page asks for the focus. */
  focus(): void;
  blur(): void;
}

/**
 * Reports when a field gets and loses the focus. WebKit lets no program focus the input of a frame
 * that the person has not used yet. The page focuses the frame then, which gets the keys: the first
 * one focuses the input, and arrives there.
 */
export function watchFocus(input: HTMLInputElement, changed: (hasFocus: boolean) => void): FieldFocus {
  let isWanted = false;
  let isReported = false;

  function set(hasFocus: boolean): void {
    if (hasFocus === isReported) return;
    isReported = hasFocus;
    document.body.toggleAttribute('data-focused', hasFocus);
    changed(hasFocus);
  }

  const isActive = (): boolean => document.activeElement === input;
  /** The page wants the focus, and its frame has it. */
  const isOurs = (): boolean => isWanted && !input.disabled && document.hasFocus();

  input.addEventListener('focus', () => set(true));
  input.addEventListener('blur', () => set(false));
  addEventListener('blur', () => set(false));
  addEventListener('focus', () => isOurs() && set(true));
  addEventListener('keydown', ({ key }) => {
    if (isReported && !isActive()) input.focus();
    // Else a frame that is drawn late would take the focus back from the next field.
    if (key === 'Tab') isWanted = false;
  });
  // The padding of a field and its icon belong to the input, as in an input of the page.
  addEventListener('mousedown', (event) => {
    if (event.target === input) return;
    event.preventDefault();
    input.focus();
  });
  return {
    focus() {
      isWanted = true;
      input.focus();
      // A field that was hidden until now is not rendered yet.
      requestAnimationFrame(() => {
        if (isOurs() && !isActive()) input.focus();
      });
      if (isOurs()) set(true);
    },
    blur() {
      // In Chromium, an input of a frame without the focus would take it to that frame.
      if (document.hasFocus()) input.blur();
      isWanted = false;
      set(false);
    },
  };
}
