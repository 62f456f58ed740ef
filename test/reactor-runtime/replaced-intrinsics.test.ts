import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { IMAGES } from '../../src/core/reactors/layer.ts';
import { reactorsOn } from './a-reactor.ts';

// Each function and getter that globals and modules lead to is replaced by several others during
// forbidden operations: the guards decide as before and pass none of their objects to it.
const CODE = `
const modules = ['fs', 'path', 'url', 'net', 'buffer', 'util', 'events'].map((name) => [name, require(name)]);
const { defineProperty, ownKeys, getOwnPropertyDescriptor, apply, getPrototypeOf } = Reflect;
const fs = require('fs'); const net = require('net'); const dns = require('dns'); const { tmpdir } = require('os');
const call = Function.prototype.call.bind(Function.prototype.call); const push = Array.prototype.push; const textOf = Function.prototype.toString;

// Every object whose members can be replaced, by a path to it.
function reachable() {
  const found = new Map();
  const visit = (value, path) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || found.has(value) || found.size > 3000) return;
    found.set(value, path);
    for (const key of ownKeys(value)) {
      const { value: member, get, set } = getOwnPropertyDescriptor(value, key);
      for (const next of [member, get, set]) visit(next, path + '.' + String(key));
    }
    visit(getPrototypeOf(value), path + '.__proto__');
  };
  for (const name of ownKeys(globalThis)) if (!['global', 'globalThis', 'process', 'console'].includes(name)) visit(globalThis[name], String(name));
  visit(getPrototypeOf(function* () {}), 'generator'); visit(getPrototypeOf(async () => {}), 'async'); visit(getPrototypeOf(async function* () {}), 'asyncGenerator');
  for (const [name, exported] of modules) visit(exported, name);
  return found;
}

// Natives that only guards may hold.
const NATIVE = new Set(['open', 'openFileHandle', 'connect', 'connect6', 'send', 'send6', 'setServers', 'spawn', 'realpath', 'readdir', 'readFileUtf8', 'writeFileUtf8', 'rmSync', 'opendirSync', 'cpSyncOverrideFile', 'binding', 'kill', 'bind', 'listen']);
const natives = new Set();

function operations(port) {
  const socket = new net.Socket(); socket.on('error', () => {});
  socket.connect(9, '192.0.2.1'); const Tcp = socket._handle.constructor; socket.destroy();
  const udp = require('dgram').createSocket('udp4'); const symbol = Object.getOwnPropertySymbols(udp).find((s) => String(s).includes('state')); const handle = udp[symbol].handle;
  let Request; require('async_hooks').createHook({ init(id, type, trigger, resource) { if (type === 'TCPCONNECTWRAP') Request = resource.constructor } }).enable();
  const other = new net.Socket(); other.on('error', () => {}); other.connect(9, '192.0.2.1'); other.destroy();
  const resolver = new dns.Resolver(); const url = require('url').pathToFileURL('/proc/self/status'); const bytes = Buffer.from('/proc/self/status');
  const Handle = Tcp; const done = (error) => { if (error !== 0) throw error };
  const { openSync, readSync, closeSync, statSync, readdirSync, opendirSync, writeFileSync, copyFileSync, symlinkSync, renameSync, unlinkSync, lstatSync, realpathSync } = fs; const { native } = realpathSync; const { kill, ppid, binding } = process;
  const setServers = resolver.setServers.bind(resolver); const getServers = resolver.getServers.bind(resolver); const buffer = Buffer.alloc(5);
  // Identify the file by its content: a replaced built-in may have named another.
  const opened = (path) => { const fd = openSync(path); readSync(fd, buffer, 0, 5, 0); closeSync(fd); if (buffer[0] !== 78 || buffer[1] !== 97 || buffer[2] !== 109) throw 1 };
  const is = (condition) => { if (!condition) throw 1 };
  const temp = tmpdir(); writeFileSync(temp + '/own', ''); const made = (name) => { lstatSync(temp + name); unlinkSync(temp + name) };
  return {
    read: () => opened('/proc/self/status'), url: () => opened(url), bytes: () => opened(bytes), relative: () => opened(temp + '/../../../../../../../proc/self/status'),
    stat: () => is(statSync('/proc/self/fd').mode === 0o40500), list: () => is(readdirSync('/proc/self')[0] === 'arch_status'), opendir: () => is(opendirSync('/proc/self').readSync().name), write: () => { writeFileSync(temp + '/../beside', 'x'); throw 1 },
    copy: () => { copyFileSync('/proc/self/status', temp + '/copy'); made('/copy') }, link: () => { symlinkSync('/proc/self', temp + '/link'); made('/link') }, rename: () => { renameSync(temp + '/own', temp + '/../beside'); throw 1 }, real: () => is(native('/proc/self/root') === '/'),
    tcp: () => done(new Handle(0).connect(new Request(), '127.0.0.1', port)), tcp6: () => done(new Handle(0).connect6(new Request(), '::1', port)), listen: () => done(new Handle(0).listen(1)), udp: () => done(handle.connect('127.0.0.1', port)),
    dns: () => { setServers(['127.0.0.1:' + port]); is(getServers()[0] === '127.0.0.1:' + port) }, process: () => is(require('child_process').spawn), kill: () => is(kill(ppid, 0)), binding: () => is(binding('fs').open),
  };
}

module.exports = (req) => {
  const targets = reachable(); const attempts = Object.entries(operations(req.args.port)); const holes = []; let tried = 0;
  const guess = (name) => [...attempts].map(([operation, attempt]) => { try { attempt(); holes.push(name + ': ' + operation) } catch {} });
  const seen = (values) => { for (let at = 0; at < values.length; at += 1) { const value = values[at]; if (typeof value !== 'function') continue; let text = ''; try { text = call(textOf, value) } catch {} const match = /^function (\\w+)\\(\\) \\{ \\[native code\\]/.exec(text); if (match && NATIVE.has(match[1])) natives.add(match[1]); } };
  guess('as they are');
  const list = [...targets];
  const temp = tmpdir(); let [calls, booleans] = [0, 0];
  const answers = [(r) => r, () => true, () => undefined, () => { throw 1 }, (r) => (typeof r === 'string' ? temp + '/elsewhere' : r), (r) => (typeof r === 'string' ? '203.0.113.1' : r), (r) => (typeof r === 'number' ? 0 : r)];
  // Only one of the answers yes or no is the other one: all of them at once contradict each other.
  for (let nth = 0; nth < 12; nth += 1) answers.push((r) => (typeof r === 'boolean' && booleans++ === nth ? !r : r));
  for (let at = 0; at < list.length; at += 1) {
    const [owner, path] = list[at];
    for (const key of ownKeys(owner)) {
      const before = getOwnPropertyDescriptor(owner, key);
      if (!before || !before.configurable) continue;
      const isMethod = typeof before.value === 'function'; if (!isMethod && !before.get) continue;
      const original = isMethod ? before.value : before.get;
      calls = 0;
      // An intrinsic that is not called at all need not return another value.
      for (let n = 0; n < answers.length && (n === 0 || calls > 0); n += 1) {
        const answer = answers[n];
        const replacement = function (...args) { calls += 1; seen(args); seen([this]); const result = new.target ? Reflect.construct(original, args, new.target) : apply(original, this, args); seen([result]); return answer(result) };
        try { defineProperty(owner, key, isMethod ? { ...before, value: replacement } : { ...before, get: replacement }) } catch { continue }
        tried += 1;
        for (let a = 0; a < attempts.length; a += 1) { booleans = 0; try { attempts[a][1](); holes[holes.length] = path + '.' + String(key) + ' ' + n + ': ' + attempts[a][0] } catch {} }
        defineProperty(owner, key, before);
      }
    }
  }
  return { tried, holes: holes, natives: [...natives] };
};`;

describe.each(IMAGES)('%s', (image) => {
  const { withReactor } = reactorsOn(image);
  it('built-ins that reactor code has replaced cannot bypass the guards, and see none of their data', async () => {
    await withReactor(
      CODE,
      async (reactor) => {
        const { value } = (await reactor.invoke({ port: reactor.port })).response;
        expect(value).toEqual({ tried: expect.any(Number), holes: [], natives: [] });
        expect(value.tried).toBeGreaterThan(2_000);
        expect(readdirSync(join(reactor.temp, '..')).sort()).toEqual(['task', 'tmp']);
      },
      { timeoutMs: 120_000 },
    );
  });
});
