import { strToU8, zipSync } from 'fflate';

/** The zip of a function whose handler is this expression. */
export function aZip(handler = 'async (event) => event'): Uint8Array {
  return zipSync({ 'index.cjs': strToU8(`module.exports = ${handler};`) });
}
