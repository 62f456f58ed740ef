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
import { z } from 'zod';
import type { Image } from '../../src/core/reactors/layer.ts';

const layerShape = z.object({
  Type: z.literal('AWS::Lambda::LayerVersion'),
  Properties: z.object({ Description: z.string(), Content: z.object({ S3Key: z.string() }) }),
});

/** The hash that the templates give to the layer of an image, and the key of its content. */
function layerIn(app: string, image: Image): { readonly hash: string; readonly key: string } {
  const text = readFileSync(join(app, 'Cloakroom-Reactors.template.json'), 'utf8');
  const hash = new RegExp(`"REACTOR_LAYER_HASHES": ?"[^"]*${image}=([0-9a-f]{64})`).exec(text)?.[1];
  if (hash === undefined) throw new Error(`the template of ${app} has no hash of the layer of ${image}`);
  const { Resources } = z.object({ Resources: z.record(z.string(), z.unknown()) }).parse(JSON.parse(text));
  for (const resource of Object.values(Resources)) {
    const layer = layerShape.safeParse(resource).data?.Properties;
    if (layer?.Description.endsWith(hash) === true)
      return { hash, key: layer.Content.S3Key.replace(/\.zip$/, '') };
  }
  throw new Error(`the template of ${app} has no layer of ${image}`);
}

/**
 * Copies a synthesized app to a folder with another layer of an image: `added` is appended to a
 * file of it. The templates then say what a synthesis of that layer would.
 */
export function withOtherLayer(
  app: string,
  folder: string,
  image: Image,
  { file, added }: { readonly file: string; readonly added: string },
): string {
  cpSync(app, folder, { recursive: true });
  const { hash, key } = layerIn(folder, image);
  const asset = join(folder, `asset.${key}`);
  const path = join(asset, file);
  chmodSync(path, statSync(path).mode | 0o200);
  appendFileSync(path, added);
  const changed = (text: string) => createHash('sha256').update(`${text} ${added}`).digest('hex');
  renameSync(asset, join(folder, `asset.${changed(key)}`));
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(key, changed(key)).replaceAll(hash, changed(hash)));
  }
  return folder;
}
