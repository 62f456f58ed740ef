import {
  apply,
  errorStack,
  getMember,
  getOwnPropertyDescriptor,
  isProxy,
  type Method,
} from './primordials.ts';

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/** A member of a hostile object: getters may throw, proxies refuse. */
export function memberOf(value: unknown, key: string | number | symbol): unknown {
  if (!isObject(value)) return undefined;
  try {
    return getMember(value, key) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a hostile object has an own member, whatever its value. */
export function hasOwnMember(value: unknown, key: string): boolean {
  if (!isObject(value)) return false;
  try {
    return getOwnPropertyDescriptor(value, key) !== undefined;
  } catch {
    return false;
  }
}

/**
 * An own member that is no getter, read without running the author's code. One exception: the first
 * read of a `stack` calls the author's `Error.prepareStackTrace`.
 */
export function ownDataOf(value: unknown, key: string): unknown {
  if (!isObject(value) || isProxy(value)) return undefined;
  try {
    const descriptor = getOwnPropertyDescriptor(value, key);
    const getter = descriptor && (getOwnPropertyDescriptor(descriptor, 'get')?.value as unknown);
    // V8 has one for the `stack` of errors in Node.js 24.
    if (getter !== undefined && getter === errorStack) return apply(getter as Method, value, []);
    // The descriptor of a getter has no `value`, and would inherit one.
    const data = descriptor && getOwnPropertyDescriptor(descriptor, 'value');
    return data?.value as unknown;
  } catch {
    return undefined;
  }
}
