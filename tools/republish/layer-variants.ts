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

/** The folder of the layer's content in a synthesized app. */
function layerAsset(app: string): string {
  const found = readdirSync(app).find(
    (name) => name.startsWith('asset.') && readdirSync(join(app, name)).includes('bootstrap'),
  );
  if (found === undefined) throw new Error(`${app} has no layer`);
  return found;
}

/** The hash that the templates give to the layer. */
function hashIn(app: string): string {
  const template = readFileSync(join(app, 'Cloakroom-Reactors.template.json'), 'utf8');
  const hash = /"REACTOR_LAYER_HASHES": ?"node16=([0-9a-f]{64})/.exec(template)?.[1];
  if (hash === undefined) throw new Error(`the template of ${app} has no hash of the layer`);
  return hash;
}

/**
 * Copies a synthesized app to a folder with another layer: `added` is appended to a file of it. The
 * templates then say what a synthesis of that layer would.
 */
export function withOtherLayer(
  app: string,
  folder: string,
  { file, added }: { readonly file: string; readonly added: string },
): string {
  cpSync(app, folder, { recursive: true });
  const asset = layerAsset(folder);
  const path = join(folder, asset, file);
  chmodSync(path, statSync(path).mode | 0o200);
  appendFileSync(path, added);
  const changed = (text: string) => createHash('sha256').update(`${text} ${added}`).digest('hex');
  const key = asset.slice('asset.'.length);
  const hash = hashIn(folder);
  renameSync(join(folder, asset), join(folder, `asset.${changed(key)}`));
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(key, changed(key)).replaceAll(hash, changed(hash)));
  }
  return folder;
}
