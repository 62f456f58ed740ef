import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Image } from '../../src/core/reactors/layer.ts';

/** The hash that the templates give to the layer of an image, after which its asset is named. */
function hashIn(app: string, image: Image): string {
  const template = readFileSync(join(app, 'Cloakroom-Reactors.template.json'), 'utf8');
  const hash = new RegExp(`"REACTOR_LAYER_HASHES": ?"[^"]*${image}=([0-9a-f]{64})`).exec(template)?.[1];
  if (hash === undefined) throw new Error(`the template of ${app} has no hash of the layer of ${image}`);
  return hash;
}

/**
 * Copies a synthesized app to a folder with another layer of an image: `added` is appended to a file
 * of it. The templates then say what a synthesis of that layer would.
 */
export function withOtherLayer(
  app: string,
  folder: string,
  image: Image,
  { file, added }: { readonly file: string; readonly added: string },
): string {
  cpSync(app, folder, { recursive: true });
  const hash = hashIn(folder, image);
  const asset = join(folder, `asset.${hash}`);
  const path = join(asset, file);
  chmodSync(path, statSync(path).mode | 0o200);
  appendFileSync(path, added);
  const changed = createHash('sha256').update(`${hash} ${added}`).digest('hex');
  renameSync(asset, join(folder, `asset.${changed}`));
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(hash, changed));
  }
  return folder;
}
