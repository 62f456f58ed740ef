import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { IMAGES, NODE_VERSIONS, type Image } from '../src/core/reactors/layer.ts';
import { howToGet } from './asset-folder.ts';

export type ReactorArchitecture = 'arm64' | 'x86_64';

/** The target of a layer: Lambda, or the machine of `npm start` if that is not Linux. */
export type ReactorPlatform = ReactorArchitecture | 'darwin';

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x86_64';
/** The platform on which this process runs reactors. */
export const THIS_PLATFORM: ReactorPlatform = process.platform === 'darwin' ? 'darwin' : ARCHITECTURE;

/** A binary of Node.js as it was published, and the package that has it. */
interface PublishedNode {
  readonly packageName: string;
  readonly version: string;
  /** SHA-256 of the binary: reactors run exactly this one. */
  readonly sha256: string;
}

/** The end of the package's name, for which npm and nodejs.org have other words than Lambda. */
export const PLATFORM_NAMES: Readonly<Record<ReactorPlatform, string>> = {
  arm64: 'linux-arm64',
  x86_64: 'linux-x64',
  darwin: 'darwin-x64',
};

const SHA256: Readonly<Record<Image, Readonly<Record<ReactorPlatform, string>>>> = {
  node16: {
    arm64: 'd09c34f17626ab66c8906508a831ea91dab4e5982b20c4d7a567ceaed42121bb',
    x86_64: '8440cffda5a21bf7cfda43d2c396f79777585a4c5e03ed2801fe226953a7aa11',
    darwin: 'b7b053d3aa4938a18213799c59e27de7df7b1286da07250a3681293285cfca5d',
  },
  node24: {
    arm64: '8f9c2a55879e9705cb285b6cdd649d95df642c6720f052cb30f300d2677da99f',
    x86_64: 'a7ec1b37e6ff9d187e4198c5b6df9a4eb1c74dd31804fb3bac55cc4ceca1ac01',
    darwin: 'cd7598be0b10583df334b3720d648cc2a22e650b122e6172c226964260138640',
  },
};

/**
 * The newest Node.js 24 for Macs that the registry has; only local runs use it. There is none for
 * Apple silicon of either image, which runs the one for Intel.
 */
const ON_DARWIN: Readonly<Record<Image, string>> = { ...NODE_VERSIONS, node24: '24.18.1' };

/** Finds the binary of an image on a platform. */
export const publishedNode = (image: Image, platform: ReactorPlatform): PublishedNode => ({
  packageName: `${image}-${PLATFORM_NAMES[platform]}`,
  version: (platform === 'darwin' ? ON_DARWIN : NODE_VERSIONS)[image],
  sha256: SHA256[image][platform],
});

export const REACTOR_PLATFORMS = Object.keys(PLATFORM_NAMES) as readonly ReactorPlatform[];

/** Lists every image on every platform. */
export const PUBLISHED_NODES = IMAGES.flatMap((image) =>
  REACTOR_PLATFORMS.map((platform) => ({ image, platform, ...publishedNode(image, platform) })),
);

const SCOPE = '@cloakroom';
const installed = createRequire(join(import.meta.dirname, 'reactor-node.js'));

/** The file of the binary in the installed package; `undefined` if it is missing. */
function installedFile(name: string): string | undefined {
  try {
    const file = join(dirname(installed.resolve(`${SCOPE}/${name}/package.json`)), 'bin/node');
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Throws if the content of `file` is not the binary that was published. */
export function checkPublished({ version, sha256 }: PublishedNode, binary: Buffer, file: string): void {
  if (createHash('sha256').update(binary).digest('hex') !== sha256)
    throw new Error(`${file} is not Node ${version} as it was published`);
}

export interface ReactorNode extends PublishedNode {
  /** The file in its package; `undefined` if that is not installed. */
  readonly file: string | undefined;
  /** Says which package is missing. */
  readonly remedy: string;
  /** Throws if the package is not installed, or if the binary is not the published one. */
  verified(): Buffer;
}

export function reactorNode(image: Image, platform: ReactorPlatform): ReactorNode {
  const node = publishedNode(image, platform);
  const { packageName, version } = node;
  const file = installedFile(packageName);
  const remedy = `Node ${version} of the reactors is missing: ${howToGet(`${SCOPE}/${packageName}`)}`;
  return {
    ...node,
    file,
    remedy,
    verified() {
      if (file === undefined) throw new Error(remedy);
      const binary = readFileSync(file);
      checkPublished(node, binary, file);
      return binary;
    },
  };
}
