import type { FieldKind } from '../protocol.ts';

/** A browser may know these values besides the number. */
const OTHERS = [
  ['cc-exp', 'card_expiration'],
  ['cc-csc', 'card_cvc'],
] as const satisfies readonly (readonly [string, FieldKind])[];

/**
 * Inputs for the rest of a card beside its number, for browsers that fill in one frame alone, as
 * Safari and older versions of Firefox do. What arrives there is passed on and forgotten. A person
 * cannot reach them.
 */
export function createGhosts(passOn: (kind: FieldKind, text: string) => void): void {
  const form = document.querySelector('form');
  for (const [autocomplete, kind] of OTHERS) {
    const ghost = document.createElement('input');
    for (const [name, value] of Object.entries({ autocomplete, name: autocomplete, type: 'text' }))
      ghost.setAttribute(name, value);
    ghost.className = 'ghost';
    ghost.tabIndex = -1;
    ghost.setAttribute('aria-hidden', 'true');
    const pass = () => {
      const text = ghost.value;
      ghost.value = '';
      if (text !== '') passOn(kind, text);
    };
    ghost.addEventListener('input', pass);
    ghost.addEventListener('change', pass);
    form?.append(ghost);
  }
}
