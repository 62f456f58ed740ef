import { createHash } from 'node:crypto';
import { AUTHOR_PACKAGES, SDK } from '../reactors/author-packages.ts';

const SPECIFIERS = [SDK, ...AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers)];

/**
 * The code of the function of the service itself, on which a layer is tried first: it loads every
 * package that code of reactors may require.
 */
export const OWN_CODE = `${SPECIFIERS.map((name) => `require(${JSON.stringify(name)});\n`).join('')}module.exports = () => ({});\n`;

export const OWN_CODE_HASH = createHash('sha256').update(OWN_CODE).digest('hex');

/** Names the function of the service itself, on which a layer is tried before reactors get it. */
export const ownFunctionName = (prefix: string): string => `${prefix}own`;
