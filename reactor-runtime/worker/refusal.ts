import { dataProperty, defineProperty, ErrorClass, keysOf } from './primordials.ts';

/** libuv's number of EACCES, which a refused operation of a binding returns. */
export const EACCES = -13;

/** The error of a refused operation; it looks like an error of Node. */
export function refusal(
  what: string,
  details: { readonly syscall?: string; readonly path?: string } = {},
): Error {
  const path = details.path === undefined ? '' : ` '${details.path}'`;
  const error = new ErrorClass(`EACCES: not permitted to reactor code, ${what}${path}`);
  const members = { errno: EACCES, code: 'EACCES', syscall: details.syscall, path: details.path };
  const names = keysOf(members);
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as keyof typeof members;
    const value = members[name];
    if (value === undefined) continue;
    defineProperty(error, name, dataProperty(value));
  }
  return error;
}

/** Replaces a function that reactor code may not call. */
export const refuser = (what: string) => (): never => {
  throw refusal(what);
};
