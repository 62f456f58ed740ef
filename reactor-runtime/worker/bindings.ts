import { ErrorClass, type Method } from './primordials.ts';

/**
 * An object of Node's native half; its members are looked up at each call, so replacing one reaches
 * every module that uses it.
 */
export type Binding = Record<string, Method>;

interface Internals {
  readonly internalBinding: (name: string) => Record<string, unknown>;
}

const load = require;
/**
 * Native halves, all of them: a worker is started with `--expose-internals`, and the code's
 * `require` gives none of Node's internal modules.
 */
export const { internalBinding: binding } = load('internal/test/binding') as Internals;

/** The prototype of a native class. */
export function prototypeOf(bindingName: string, className: string): Binding {
  const native = binding(bindingName)[className] as { prototype: Binding };
  return native.prototype;
}

/** A method that the layer's Node has; another Node would be another set of holes. */
export function methodOf(owner: Binding, name: string): Method {
  const method = owner[name];
  if (typeof method !== 'function') throw new ErrorClass(`this Node has no ${name}`);
  return method;
}
