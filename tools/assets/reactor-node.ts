import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { IMAGES, type Image } from '../../src/core/reactors/layer.ts';
import {
  checkPublished,
  PLATFORM_NAMES,
  publishedNode,
  type ReactorPlatform,
} from '../../lib/reactor-node.ts';
import { fetchPublished, fileOf } from '../published-package.ts';

const PACKAGES = join(import.meta.dirname, '../../packages');

/**
 * The tarballs of Node's own packages on the registry. They cannot be dependencies: each refuses to
 * be installed on another platform, and its `node` command would shadow Node 24.
 */
const TARBALL_SHA512: Readonly<Record<Image, Readonly<Record<ReactorPlatform, string>>>> = {
  node16: {
    arm64: 'MyXYLwR55kL8fh4+T/pnLFltiys/aQ0QYtT5PZuiiQBksWRCP28LWRACZhFHGPG+jlSxzZDKwRFAjdNY3DaB0Q==',
    x86_64: 'oxOhUQeRI8VP2S933KzppWoQTXE/bhs3rskxrAXQA0xfIoy+WqVx47oe6upUsCqORfvAHcbdf9k+1iFyZnceqQ==',
    darwin: 'fPnFeVaWzeMEMv29mjnXw1jCQB7qvh4ID+N637+HFdM0gnXfnYgBPBTOwzbFaIrlVaAtFhRFiaqU27oLzl6Nxw==',
  },
  node24: {
    arm64: 'IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==',
    x86_64: 'KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
    darwin: 'tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
};

/** Has the address of a folder with the files of https://nodejs.org/dist, in place of the registry. */
export const MIRROR = 'CLOAKROOM_NODE_MIRROR';

const FILES = ['LICENSE', 'bin/node'] as const;

/** Takes the files of an archive as nodejs.org publishes it. Throws for another binary. */
async function fetchFromMirror(mirror: string, image: Image, platform: ReactorPlatform, folder: string) {
  const node = publishedNode(image, platform);
  const name = `node-v${node.version}-${PLATFORM_NAMES[platform]}`;
  const address = `${mirror.replace(/\/+$/, '')}/v${node.version}/${name}.tar.gz`;
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} cannot be downloaded: status ${String(response.status)}`);
  const tar = gunzipSync(new Uint8Array(await response.arrayBuffer()));
  const binary = fileOf(tar, `${name}/bin/node`);
  checkPublished(node, binary, address);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'LICENSE'), fileOf(tar, `${name}/LICENSE`));
  // A build that is interrupted leaves no part of it.
  const unfinished = join(folder, 'bin', `node.${String(process.pid)}`);
  writeFileSync(unfinished, binary, { mode: 0o755 });
  renameSync(unfinished, join(folder, 'bin/node'));
}

/**
 * Fills the package of an image and platform with its binary and the licence, unless it has them. A
 * build needs the network for it once. Rejects if the binary is not the published one.
 */
export async function fetchReactorNode(
  image: Image,
  platform: ReactorPlatform,
  packages = PACKAGES,
): Promise<void> {
  const { packageName, version } = publishedNode(image, platform);
  const folder = join(packages, packageName);
  if (FILES.every((file) => existsSync(join(folder, file)))) return;
  const mirror = process.env[MIRROR] ?? '';
  if (mirror !== '') {
    await fetchFromMirror(mirror, image, platform, folder);
    return;
  }
  const published = {
    name: `node-${PLATFORM_NAMES[platform]}`,
    version,
    sha512: TARBALL_SHA512[image][platform],
  };
  fetchPublished(published, folder, [
    { from: 'LICENSE', to: 'LICENSE' },
    { from: 'bin/node', to: 'bin/node', mode: 0o755 },
  ]);
}

/** Fills the packages of every image for a platform. */
export async function fetchReactorNodes(platform: ReactorPlatform): Promise<void> {
  for (const image of IMAGES) await fetchReactorNode(image, platform);
}
