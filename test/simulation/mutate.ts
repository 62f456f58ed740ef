// `node --import ./test/simulation/mutate.ts` breaks the service as $CLOAKROOM_MUTATION says, while
// its modules are loaded.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MUTATIONS } from './mutations.ts';

const name = process.env['CLOAKROOM_MUTATION'];
const mutation = MUTATIONS.find((each) => each.name === name);
if (mutation === undefined) throw new Error(`there is no mutation ${String(name)}`);
const { file, find, replace } = mutation;
const target = pathToFileURL(join(import.meta.dirname, '../..', file)).href;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== target) return loaded;
    const source = Buffer.from((loaded.source ?? '') as string).toString();
    if (source.split(find).length !== 2) throw new Error(`${file} does not have, once: ${find}`);
    return { ...loaded, source: source.replace(find, () => replace) };
  },
});
