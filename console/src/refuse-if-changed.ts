import { ApiError } from './sdk.ts';

interface Changed {
  readonly modified_at?: string;
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

const tags = new WeakMap<object, string>();

/** A call whose response has the entity tag of its resource. */
interface TaggedCall<T extends object> {
  withResponse: () => PromiseLike<{
    readonly data: T;
    readonly response: { readonly headers: Readonly<Record<string, string>> };
  }>;
}

/** Returns the resource in a response, and remembers its entity tag. */
export async function withTag<T extends object>(call: TaggedCall<T>): Promise<T> {
  const { data, response } = await call.withResponse();
  const tag = response.headers['etag'];
  if (tag !== undefined) tags.set(data, tag);
  return data;
}

/**
 * Makes a change that began with a state, unless the resource has another one now: then it throws
 * {@link ChangedMeanwhileError}, once for each edit.
 */
export async function changeFrom<Result>(
  opened: object,
  change: (condition: { readonly ifMatch?: string }) => Promise<Result>,
): Promise<Result> {
  const ifMatch = tags.get(opened);
  try {
    return await change(ifMatch === undefined ? {} : { ifMatch });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'precondition_failed') throw error;
    tags.delete(opened);
    throw new ChangedMeanwhileError();
  }
}

const warned = new WeakSet<object>();

/**
 * Compares the state of a token that an edit began with to that of the service. Tokens have no
 * entity tag, so this is a warning, once for each edit, and no condition.
 */
export async function refuseIfChanged(
  opened: Changed & object,
  read: () => PromiseLike<Changed>,
): Promise<void> {
  const { modified_at: now } = await read();
  if (now === opened.modified_at || warned.has(opened)) return;
  warned.add(opened);
  throw new ChangedMeanwhileError();
}
