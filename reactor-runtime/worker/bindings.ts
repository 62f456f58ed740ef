import { ErrorClass, type Method } from './primordials.ts';

/** An object of Node's native half; its members are looked up at each call, so replacing one reaches every module that uses it. */
export type Binding = Record<string, Method>;

interface OldProcess {
  binding(name: string): Record<string, unknown>;
}

/** Node 16 still hands these out by `process.binding`; the guards take what they need, and then `guard-process.ts` takes the function away. */
export const binding = (process as unknown as OldProcess).binding.bind(process);

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
