import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { reactorNode, THIS_PLATFORM } from '../../../../lib/reactor-node.ts';
import { reactorLayer } from '../../../../lib/reactor-layer.ts';
import { parseSettings } from '../../../../lib/settings.ts';
import { IMAGES } from '../../../../src/core/reactors/layer.ts';
import { parseTemplate } from '../../../local-aws/src/assembly/read-assembly.ts';
import { livingProcess, processIdentity } from '../../../local-aws/src/process-alive.ts';
import { layerKey } from './layer-key.ts';
import { laySettings } from './lay-settings.ts';
import { DIST, PACKAGE } from './package-folder.ts';
import { privateFolder } from './private-folder.ts';

export { refusalOf } from './lay-settings.ts';

export const ROOT = PACKAGE;
export const WORK_DIRECTORY = resolve('.local');
/** Node takes compiled code from here without a check. */
export const compileCache = (): string => join(privateFolder(), 'compile-cache');
export const DOCS_PATH = '/docs';
export const START = 'cloakroom start';

const TEMPLATE = '.template.json';

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x86_64';

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
  for (const image of IMAGES) {
    const layer = join(folder, layerKey(image));
    mkdirSync(layer);
    reactorLayer(image, THIS_PLATFORM, settings.clientCompatibility).placeHere(layer);
  }
}

/** Removes the apps of starts that were killed. */
function removeUnused(apps: string): void {
  for (const name of readdirSync(apps))
    if (livingProcess(name) === undefined) rmSync(join(apps, name), { recursive: true, force: true });
}

/**
 * Takes the place of bin/start/local-app.ts: the app that was built with the package, with settings
 * laid over it, in a folder of this process.
 */
export function localApp(chosen: Chosen): string {
  for (const image of IMAGES) {
    const { file, remedy } = reactorNode(image, THIS_PLATFORM);
    if (file === undefined) process.stderr.write(`Reactors on ${image} do not run. ${remedy}\n`);
  }
  const apps = join(privateFolder(), 'apps');
  mkdirSync(apps, { recursive: true, mode: 0o700 });
  removeUnused(apps);
  const folder = mkdtempSync(join(apps, `${processIdentity()}-`));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  writeApp(folder, chosen);
  return folder;
}
