interface Changed {
  readonly modified_at?: string;
  readonly version?: number;
}

/** The edit began with an older state, so saving it would undo what someone else did. */
export class ChangedMeanwhileError extends Error {
  override readonly name = 'ChangedMeanwhileError';

  constructor() {
    super(
      'Someone changed this since you opened it, perhaps in another tab. Discard the edit to see the change, or save again to replace it.',
    );
  }
}

const warned = new WeakSet<object>();

/**
 * Compares the state that an edit began with to that of the service. The service has no condition
 * for a PUT, so this is a warning, once for each edit, and no lock.
 */
export async function refuseIfChanged(
  opened: Changed & object,
  read: () => PromiseLike<Changed>,
): Promise<void> {
  const now = await read();
  const isSame = now.modified_at === opened.modified_at && now.version === opened.version;
  if (isSame || warned.has(opened)) return;
  warned.add(opened);
  throw new ChangedMeanwhileError();
}
