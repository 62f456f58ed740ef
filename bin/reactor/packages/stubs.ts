/**
 * They take the place of built-ins that reactors do not have, and that packages load without a
 * need. They are texts, so that every build of this program puts the same bytes into a bundle.
 */
export const STUBS: Readonly<Record<string, string>> = {
  // It fails as in packages of the layer (reactor-runtime/packages/no-processes.ts).
  child_process: `exports.exec = (_command, ...rest) => {
  const callback = rest.find((each) => typeof each === 'function');
  if (callback !== undefined) callback(new Error('a reactor has no other processes'));
};`,
  // ES modules have no other way to a built-in at run time. They get what reactor code gets.
  module: `exports.createRequire = () => require;`,
};
