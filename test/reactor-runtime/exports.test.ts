import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALLOWED } from '../../reactor-runtime/worker/built-ins.ts';
import { IMAGES } from '../../src/core/reactors/layer.ts';
import { reactorsOn } from './a-reactor.ts';

/** Returns each module and class with the names of its members, a line each. */
const LIST = `const { getOwnPropertyDescriptor, ownKeys } = Reflect;
const isClass = (value) => typeof value === 'function' && value.prototype !== undefined && ownKeys(value.prototype).length > 1;
const namesOf = (owner) => ownKeys(owner).map(String).sort().join(' ');
module.exports = ({ args }) => {
  const lines = []; const seen = new Set();
  for (const name of args.modules) {
    let exported; try { exported = require(name); } catch { continue; }
    lines.push(name + ': ' + namesOf(exported));
    for (const key of ownKeys(exported)) {
      const { value } = getOwnPropertyDescriptor(exported, key);
      if (!isClass(value) || seen.has(value)) continue;
      seen.add(value);
      lines.push(name + '.' + String(key) + ': ' + namesOf(value), name + '.' + String(key) + '#: ' + namesOf(value.prototype));
    }
  }
  return lines;
};`;

// A native that one of Node's modules has copied before the guards is out of their sight: what such
// a module exports has to be read. When a Node.js has another list, read each new name in its
// sources, refuse what reaches outside of the process, then write the list that the test shows.
it.each(IMAGES)('the modules of %s export what was read, and nothing else', async (image) => {
  const { value } = await reactorsOn(image).answerAlone(LIST, { modules: ALLOWED });
  const read = readFileSync(join(import.meta.dirname, `exports/${image}.txt`), 'utf8')
    .trim()
    .split('\n');
  expect(value).toEqual(read);
});
