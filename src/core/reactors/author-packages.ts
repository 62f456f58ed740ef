/**
 * The SDK's name in reactor code: `require('@cloakroom/sdk')`. It is built from `packages/sdk/`,
 * not installed as a package.
 */
export const SDK = '@cloakroom/sdk';

/**
 * The name by which existing reactors require their error classes. Only the layer of a lenient
 * deployment has it (docs/lenient.md).
 */
export const FIELD_SDK = '@basis-theory/basis-theory-reactor-formulas-sdk-js';

export interface AuthorPackage {
  readonly name: string;
  /** The version that is bundled. A test compares it, so that the documentation cannot differ. */
  readonly version: string;
  /** The licence as SPDX writes it, which the same test compares. */
  readonly licence: string;
  /** The names that `require` accepts; each becomes a separate file. */
  readonly specifiers: readonly string[];
}

/** The packages that reactor code may require, in addition to Node's built-ins and the SDK. */
export const AUTHOR_PACKAGES: readonly AuthorPackage[] = [
  { name: 'ajv', version: '8.20.0', licence: 'MIT', specifiers: ['ajv'] },
  { name: 'axios', version: '1.21.1', licence: 'MIT', specifiers: ['axios'] },
  { name: 'crypto-js', version: '4.2.0', licence: 'MIT', specifiers: ['crypto-js'] },
  { name: 'csv-parse', version: '5.6.0', licence: 'MIT', specifiers: ['csv-parse', 'csv-parse/sync'] },
  { name: 'jose', version: '4.15.9', licence: 'MIT', specifiers: ['jose'] },
  { name: 'json-stable-stringify', version: '1.3.0', licence: 'MIT', specifiers: ['json-stable-stringify'] },
  { name: 'node-fetch', version: '2.7.0', licence: 'MIT', specifiers: ['node-fetch'] },
  { name: 'node-forge', version: '1.4.3', licence: '(BSD-3-Clause OR GPL-2.0)', specifiers: ['node-forge'] },
  // Later versions are ES modules.
  { name: 'p-limit', version: '3.1.0', licence: 'MIT', specifiers: ['p-limit'] },
  // Node.js 16 runs this version.
  { name: 'stripe', version: '20.4.1', licence: 'MIT', specifiers: ['stripe'] },
  { name: 'uuid', version: '9.0.1', licence: 'MIT', specifiers: ['uuid'] },
  // Later versions do not support Node.js 16.
  { name: 'xmlbuilder2', version: '3.1.1', licence: 'MIT', specifiers: ['xmlbuilder2'] },
];

/** The setting `reactorPackages` says whether reactors may bring packages of their own. */
export const PACKAGES_SETTINGS = ['none', 'allowed'] as const;
export type PackagesSetting = (typeof PACKAGES_SETTINGS)[number];
