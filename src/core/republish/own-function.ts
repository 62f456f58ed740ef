import { AUTHOR_PACKAGES, SDK } from '../reactors/author-packages.ts';
import { codeHash } from '../reactors/code-hash.ts';
import type { Image } from '../reactors/layer.ts';

const SPECIFIERS = [SDK, ...AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers)];

/**
 * The code of the functions of the service itself, on which a layer is tried first: it loads every
 * package that code of reactors may require. Each image has a function of its own.
 */
export const OWN_CODE = `${SPECIFIERS.map((name) => `require(${JSON.stringify(name)});\n`).join('')}module.exports = () => ({});\n`;

export const ownCodeHash = (image: Image): string => codeHash(OWN_CODE, { image });

/** Names the function of the service itself, on which a layer is tried before reactors get it. */
export const ownFunctionName = (prefix: string, image: Image): string =>
  image === 'node16' ? `${prefix}own` : `${prefix}own-${image}`;
