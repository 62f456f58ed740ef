import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { node16 } from '../../../../lib/node-16.ts';
import { reactorLayer } from '../../../../lib/reactor-layer.ts';
import { parseSettings } from '../../../../lib/settings.ts';
import { parseTemplate } from '../../../local-aws/src/assembly/read-assembly.ts';
import manifest from '../../package.json' with { type: 'json' };
import { LAYER_KEY } from './layer-key.ts';
import { laySettings } from './lay-settings.ts';
import { DIST, PACKAGE } from './package-folder.ts';

export { refusalOf } from './lay-settings.ts';

export const ROOT = PACKAGE;
export const WORK_DIRECTORY = resolve('.local');
export const DOCS_PATH = '/docs';
export const START = 'cloakroom start';

const TEMPLATE = '.template.json';

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x86_64';
const PLATFORM = process.platform === 'darwin' ? 'darwin' : ARCHITECTURE;

type Chosen = Readonly<Record<string, string>>;

/** Writes the built app with settings into a folder. Its assets are those of the package. */
function writeApp(folder: string, { clientCompatibility, ...chosen }: Chosen): void {
  const settings = parseSettings({ clientCompatibility, ...chosen, architecture: ARCHITECTURE });
  const app = join(DIST, 'app', settings.clientCompatibility);
  for (const name of readdirSync(app)) {
    const text = readFileSync(join(app, name), 'utf8');
    const laid = () =>
      laySettings(parseTemplate(JSON.parse(text)), settings, [...Object.keys(chosen), 'architecture']);
    writeFileSync(join(folder, name), name.endsWith(TEMPLATE) ? JSON.stringify(laid()) : text);
  }
  for (const name of readdirSync(join(DIST, 'app/assets')))
    symlinkSync(join(DIST, 'app/assets', name), join(folder, name));
  const layerFolder = join(folder, LAYER_KEY);
  mkdirSync(layerFolder);
  const layer = reactorLayer(PLATFORM, settings.clientCompatibility);
  if (layer.missing === undefined) layer.place(layerFolder);
  else layer.placeWithoutNode(layerFolder);
}

/**
 * Takes the place of bin/start/local-app.ts: the folder of the app that was built with the package,
 * with settings laid over it. An earlier start with the same ones may have written it.
 */
export function localApp(chosen: Chosen): string {
  const apps = join(WORK_DIRECTORY, 'apps');
  const { missing } = node16(PLATFORM);
  if (missing !== undefined)
    process.stderr.write(`Reactors do not run: install ${missing} beside this package\n`);
  const key = createHash('sha256')
    .update(JSON.stringify([DIST, manifest.version, missing, Object.entries(chosen).toSorted()]))
    .digest('hex');
  const folder = join(apps, key);
  if (existsSync(folder)) return folder;
  mkdirSync(apps, { recursive: true, mode: 0o700 });
  const work = mkdtempSync(join(apps, 'unfinished-'));
  try {
    writeApp(work, chosen);
    renameSync(work, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}
