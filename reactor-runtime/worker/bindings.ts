import { ErrorClass, type Method } from './primordials.ts';

/**
 * An object of Node's native half. Its members are looked up at each call, so a replaced one
 * affects every module that uses it.
 */
export type Binding = Record<string, Method>;

interface Internals {
  readonly internalBinding: (name: string) => Record<string, unknown>;
}

const load = require;
/**
 * All native halves: a worker is started with `--expose-internals`, and the code's `require`
 * returns none of Node's internal modules.
 */
export const { internalBinding: binding } = load('internal/test/binding') as Internals;

export function prototypeOf(bindingName: string, className: string): Binding {
  const native = binding(bindingName)[className] as { prototype: Binding };
  return native.prototype;
}

/** A method of the layer's Node. Another version would have other holes. */
export function methodOf(owner: Binding, name: string): Method {
  const method = owner[name];
  if (typeof method !== 'function') throw new ErrorClass(`this Node has no ${name}`);
  return method;
}
