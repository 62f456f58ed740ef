import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { howToGet } from './asset-folder.ts';

export type ReactorArchitecture = 'arm64' | 'x86_64';

/** The target of a layer: Lambda, or the machine of `npm start` if that is not Linux. */
export type ReactorPlatform = ReactorArchitecture | 'darwin';

/** The version is that of the packages, too. */
export const NODE_16_VERSION = '16.20.2';

/**
 * The package with Node 16.20.2 for the platform, and the SHA-256 of the binary: reactors run
 * exactly this binary. There is none for Apple silicon, which runs the one for Intel.
 */
export const NODE_16 = {
  arm64: {
    name: 'node16-linux-arm64',
    sha256: 'd09c34f17626ab66c8906508a831ea91dab4e5982b20c4d7a567ceaed42121bb',
  },
  x86_64: {
    name: 'node16-linux-x64',
    sha256: '8440cffda5a21bf7cfda43d2c396f79777585a4c5e03ed2801fe226953a7aa11',
  },
  darwin: {
    name: 'node16-darwin-x64',
    sha256: 'b7b053d3aa4938a18213799c59e27de7df7b1286da07250a3681293285cfca5d',
  },
} as const;

const SCOPE = '@cloakroom';
const installed = createRequire(join(import.meta.dirname, 'node-16.js'));

/** The file of the binary in the installed package; `undefined` if it is missing. */
function installedFile(name: string): string | undefined {
  try {
    const file = join(dirname(installed.resolve(`${SCOPE}/${name}/package.json`)), 'bin/node');
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

export interface Node16 {
  readonly sha256: string;
  /** The file in its package; `undefined` if that is not installed. */
  readonly file: string | undefined;
  /** Says which package is missing. */
  readonly remedy: string;
  /** Throws if the package is not installed, or if the binary is not the published one. */
  verified(): Buffer;
}

export function node16(platform: ReactorPlatform): Node16 {
  const { name, sha256 } = NODE_16[platform];
  const file = installedFile(name);
  const remedy = `Node ${NODE_16_VERSION} of the reactors is missing: ${howToGet(`${SCOPE}/${name}`)}`;
  return {
    sha256,
    file,
    remedy,
    verified() {
      if (file === undefined) throw new Error(remedy);
      const binary = readFileSync(file);
      if (createHash('sha256').update(binary).digest('hex') !== sha256)
        throw new Error(`${file} is not Node ${NODE_16_VERSION} as it was published`);
      return binary;
    },
  };
}
