const unsaved = new Set<symbol>();

/** Marks an edit that a person would lose, until the returned function is called. */
export function holdUnsaved(): () => void {
  const mark = Symbol('unsaved');
  unsaved.add(mark);
  return () => unsaved.delete(mark);
}

export const hasUnsaved = (): boolean => unsaved.size > 0;

/** Leaves a form that was saved: nothing is lost, and Back does not return to it. */
export function leaveTo(hash: string): void {
  unsaved.clear();
  location.replace(hash);
}
