import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMAGES } from '../../src/core/reactors/layer.ts';
import { reactorsOn } from './a-reactor.ts';

/**
 * The runtime itself calls it as `Function`, so that `import()` in its body would be Node's own.
 */
const IN_ITS_NAME = `const fs = require('fs'), t = require('os').tmpdir(); const seen = [], S = Object.prototype.toString, E = Error;
Object.prototype.toString = function () { try { if (Object.prototype.hasOwnProperty.call(this, 'configuration')) { globalThis.req = this; return "return import('" + t + "/x.cjs')"; } } catch {} return S.call(this); };
Function.prototype.then = function (ok) { delete Function.prototype.then; Object.prototype.toString = S; const f = this; fs.writeFileSync(t + '/x.cjs', 'module.exports = 1');
 let got; for (const k of ['filename', 'children', 'loaded']) Object.defineProperty(Object.prototype, k, { configurable: true, set(v) { if (this.constructor && this.constructor._load) got = this; Object.defineProperty(this, k, { __proto__: null, value: v, writable: true, configurable: true, enumerable: true }); } });
 let p; try { p = f(); } catch (e) { return ok('sync ' + e.message); }
 p.then((x) => 'imported', (e) => e.stack).then((x) => { for (const k of ['filename', 'children', 'loaded']) delete Object.prototype[k];
  let r = [String(x).slice(0, 400), typeof got]; if (got) try { const b = got.require('internal/test/binding').internalBinding; r.push('internalBinding ' + typeof b, Object.keys(got.constructor).slice(0, 5)); } catch (e) { r.push(e.message); } ok(r); }); };
module.exports = Function;`;

/**
 * Records the calls of every word of the runtime, as a getter and setter on Object.prototype, and
 * of every member of its dependencies, while the runtime talks to the loop.
 */
const LISTENING = `const log = new Set(); let busy = false; const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys, construct, get } = Reflect; const { includes } = String.prototype; const add = Set.prototype.add.bind(log); const ErrorClass = Error;
const note = (name) => { if (busy) return; busy = true; try { ErrorClass.stackTraceLimit = 30; const { stack } = new ErrorClass(); if (apply(includes, stack, ['worker.cjs']) && (apply(includes, stack, ['nextEvent']) || apply(includes, stack, [' say ']) || apply(includes, stack, [' receive ']))) add(name); } finally { busy = false; } };
const wrap = (owner, path) => { for (const key of ownKeys(owner)) { const before = getOwnPropertyDescriptor(owner, key); if (!before.configurable || key === 'constructor') continue; const name = path + '.' + String(key);
  if (typeof before.value === 'function') { const { value } = before; defineProperty(owner, key, { ...before, value: function (...args) { note(name); return new.target ? construct(value, args, new.target) : apply(value, this, args); } }); }
  else if (before.get) { const own = before.get; defineProperty(owner, key, { ...before, get() { note(name); return apply(own, this, []); } }); } } };
const typed = Object.getPrototypeOf(Uint8Array.prototype); const fs = require('fs');
for (const name of WORDS) if (!(name in Object.prototype)) defineProperty(Object.prototype, name, { configurable: true, get() { note('Object.' + name); }, set(value) { note('set Object.' + name); defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true }); } });
for (const name of ['length', 'byteLength', 'buffer', 'byteOffset', 'parent']) defineProperty(Buffer.prototype, name, { configurable: true, get() { note('Buffer.' + name); return get(typed, name, this); } });
for (const [path, owner] of Object.entries({ typed, Uint8Array: Uint8Array.prototype, Buffer: Buffer.prototype, BufferClass: Buffer, ArrayBuffer: ArrayBuffer.prototype, JSON, Number, String: String.prototype, Promise: Promise.prototype, Reflect, fs, process })) try { wrap(owner, path) } catch {}
module.exports = () => [...log];`;

describe.each(IMAGES)('%s', (image) => {
  const { layer, withReactor } = reactorsOn(image);
  describe('the protocol of runtime and loop', () => {
    it('runs nothing that code can replace', async () => {
      const runtime = readFileSync(join(layer(), 'runtime/worker.cjs'), 'utf8');
      const own = Object.getOwnPropertyNames(Object.prototype);
      const descriptor = ['get', 'set', 'value', 'writable', 'enumerable', 'configurable'];
      const words = [
        ...new Set(runtime.match(/[A-Za-z_$][\w$]*/g)),
        'errno',
        'code',
        'error',
        '0',
        '1',
        '2',
        '3',
      ].filter((word) => !own.includes(word) && !descriptor.includes(word));
      const code = LISTENING.replace('WORDS', JSON.stringify(words));
      await withReactor(code, async (reactor) => {
        expect((await reactor.invoke()).response).toEqual({ outcome: 'returned', value: [] });
      });
    });

    it('rejects import(), also in the name of the runtime', async () => {
      await withReactor(IN_ITS_NAME, async (reactor) => {
        const { response } = await reactor.invoke();
        expect(response.value?.slice(1)).toEqual(['undefined']);
      });
    });

    it('discards a line that exceeds the memory of the loop, and the loop survives', async () => {
      const code = `const fs = require('fs'); module.exports = (req) => { const { kind, unit, close } = req.args; const n = Math.floor(4.9e6 / (unit.length + close.length)); const line = Buffer.from(kind + unit.repeat(n) + '0' + close.repeat(n) + '\\n'); for (let at = 0; at < line.length;) at += fs.writeSync(1, line, at); for (;;); };`;
      await withReactor(code, async (reactor) => {
        const responses = [];
        for (const [kind, unit, close] of [
          ['v', '{"34":', '}'],
          ['t', '{"34":', '}'],
          ['v', '[', ']'],
          ['v', '[0,', ']'],
        ])
          responses.push(
            (await reactor.invoke({ kind, unit, close }, kind === 't' ? { timeout_ms: 400 } : {})).response,
          );
        expect(responses).toEqual([
          { outcome: 'unserializable' },
          { outcome: 'timed_out' },
          { outcome: 'unserializable' },
          { outcome: 'unserializable' },
        ]);
        expect(reactor.started()).toBe(1);
      });
    });
  });
});
