// Programs about everything that code can reach in a process, for tests of the guards.

/**
 * Runs before the guards, at the top of the worker: remembers all functions of Node's native
 * halves, by name, where only {@link WALK} finds them.
 */
export const REMEMBER_NATIVES = String.raw`{
  const { internalBinding } = require('internal/test/binding');
  const natives = new Map();
  const functionsOf = (owner, path) => {
    for (const key of Reflect.ownKeys(owner)) {
      const { value } = Reflect.getOwnPropertyDescriptor(owner, key);
      if (typeof value === 'function' && key !== 'constructor' && !natives.has(value)) natives.set(value, path + '.' + String(key));
    }
  };
  const halves = ['blob', 'contextify', 'credentials', 'crypto', 'fs', 'fs_dir', 'fs_event_wrap', 'heap_utils', 'inspector', 'messaging', 'mksnapshot', 'module_wrap', 'modules', 'os', 'permission', 'pipe_wrap', 'process_methods', 'process_wrap', 'profiler', 'report', 'sea', 'signal_wrap', 'spawn_sync', 'sqlite', 'tcp_wrap', 'trace_events', 'tty_wrap', 'udp_wrap', 'v8', 'wasi', 'webstorage', 'worker'];
  for (const half of halves) {
    let binding;
    try { binding = internalBinding(half); } catch { continue; }
    if (typeof binding !== 'object') continue;
    functionsOf(binding, half);
    natives.set(binding, half);
    for (const name of Object.keys(binding)) if (typeof binding[name] === 'function' && binding[name].prototype !== undefined && ['TCP', 'UDP', 'Pipe', 'TTY', 'ChannelWrap', 'FSEvent', 'StatWatcher', 'FileHandle', 'DirHandle', 'MessagePort', 'Process', 'Worker', 'ModuleWrap', 'ContextifyScript'].includes(name)) functionsOf(binding[name].prototype, half + '.' + name);
  }
  natives.set(internalBinding, 'internalBinding');
  natives.set(require, 'require');
  globalThis.rememberedNatives = natives;
}
`;

/**
 * Returns what {@link REMEMBER_NATIVES} remembers and the code can reach, each with a path to it.
 */
export const WALK = String.raw`const natives = globalThis.rememberedNatives; delete globalThis.rememberedNatives;
const { defineProperty, getOwnPropertyDescriptor, ownKeys, getPrototypeOf } = Reflect;
const { forEach: forEachOfMap } = Map.prototype; const { forEach: forEachOfSet } = Set.prototype;
const later = () => new Promise((done) => setImmediate(done));
const DESCRIPTOR = ['configurable', 'enumerable', 'get', 'set', 'value', 'writable'];
const attempt = (use) => { try { return use(); } catch (error) { return error; } };
module.exports = async ({ args: { modules, words } }) => {
  const roots = [];
  // Setters and getters on Object.prototype see objects of Node's own modules.
  for (const word of words) {
    if (word in Object.prototype || DESCRIPTOR.includes(word)) continue;
    let seen = 0;
    const see = (owner) => { if (owner !== Object.prototype && seen < 8) { seen += 1; roots.push(['Object.' + word, owner]); } };
    defineProperty(Object.prototype, word, { __proto__: null, configurable: true, get() { see(this); return undefined; }, set(value) { see(this); defineProperty(this, word, { __proto__: null, value, writable: true, enumerable: true, configurable: true }); } });
  }
  for (const name of modules) roots.push([name, attempt(() => require(name))]);
  const fs = require('fs'); const net = require('net'); const temp = require('os').tmpdir() + '/'; const quiet = (emitter) => emitter.on('error', () => {});
  require('async_hooks').createHook({ init(id, type, trigger, resource) { roots.push(['hook ' + type, resource]); } }).enable();
  const uses = [
    () => fs.writeFileSync(temp + 'a', 'x'), () => fs.promises.readFile(__filename), () => fs.promises.open(__filename), () => fs.openSync(temp + 'b', 'w'), () => fs.opendirSync(temp), () => fs.promises.opendir(temp), () => fs.promises.cp(__filename, temp + 'c'), () => fs.cpSync(__filename, temp + 'd'), () => fs.globSync(temp + '*'), () => fs.watch(temp), () => fs.watch(temp, { recursive: true }), () => fs.watchFile(temp, () => {}), () => fs.createReadStream(__filename), () => fs.createWriteStream(temp + 'e'), () => fs.openAsBlob(__filename), () => new fs.Utf8Stream({ dest: temp + 'f' }),
    () => require('dns').lookup('x.invalid', () => {}), () => new (require('dns').Resolver)(), () => new (require('dns').promises.Resolver)(), () => quiet(net.connect(1, '127.0.0.1')), () => quiet(net.connect(temp + 'socket')), () => new net.BlockList(), () => new net.SocketAddress(), () => new net.BoundSocket({ host: '127.0.0.1', port: 0 }), () => quiet(net.createServer().listen(0)), () => quiet(require('dgram').createSocket('udp4')).bind(0), () => require('tls').createSecureContext(), () => quiet(require('tls').connect(1, '127.0.0.1')), () => require('tls').getCACertificates('system'), () => require('http2').createServer(), () => quiet(require('http2').connect('http://127.0.0.1:1')), () => quiet(require('http').createServer().listen(0)), () => quiet(require('http').get('http://127.0.0.1:1')), () => quiet(require('https').get('https://127.0.0.1:1')), () => new (require('http').Agent)({ proxyEnv: { HTTP_PROXY: 'http://127.0.0.1:1' } }), () => new (require('tty').ReadStream)(0), () => new (require('tty').WriteStream)(1),
    () => fetch('http://127.0.0.1:1'), () => new WebSocket('ws://127.0.0.1:1').addEventListener('error', () => {}), () => new Response('x').formData(), () => new Request('http://x'), () => new Blob(['x']).text(), () => require('buffer').resolveObjectURL('blob:nodedata:1'), () => new ReadableStream().tee(), () => new CompressionStream('gzip'), () => new URLPattern({ pathname: '/a' }), () => structuredClone({ a: 1 }), () => structuredClone(new net.BlockList()), () => new MessagePort(), () => navigator.locks.request('a', () => 1), () => AbortSignal.timeout(10), () => crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']),
    () => require('crypto').createSecretKey(Buffer.alloc(16)), () => new (require('crypto').X509Certificate)('x'), () => require('zlib').gzipSync('x'), () => require('util').inspect(new Proxy({}, {}), { showProxy: true }), () => require('util').getCallSites(), () => new (require('util').MIMEType)('a/b'), () => require('util').parseArgs({ args: [] }), () => require('readline').createInterface({ input: require('stream').Readable.from(['a']) }), () => require('stream').pipeline(require('stream').Readable.from(['a']), new (require('stream').PassThrough)(), () => {}), () => performance.timerify(() => 1)(), () => new PerformanceObserver(() => {}).observe({ entryTypes: ['gc'] }), () => require('perf_hooks').createHistogram(), () => require('perf_hooks').monitorEventLoopDelay().enable(), () => require('diagnostics_channel').channel('a'), () => eval("import('fs')"), () => new Function('return import("x")')(), () => process.stdout.write(''), () => process.stdin.read(), () => console.log('x'), () => console.table([1]), () => require('assert').strictEqual(1, 2), () => require('assert').rejects(Promise.reject(new Error('x'))),
  ];
  for (const use of uses) {
    const used = attempt(use); roots.push([String(use), used]);
    if (used && typeof used.then === 'function') used.then((value) => roots.push([String(use), value]), (error) => roots.push([String(use), error]));
  }
  for (let turn = 0; turn < 300; turn += 1) await later();
  for (const word of words) delete Object.prototype[word];
  roots.push(['globalThis', globalThis], ['require', require], ['module', module], ['dispatcher', globalThis[Symbol.for('undici.globalDispatcher.1')]], ['intrinsics', [(async () => {}).constructor, function* () {}.constructor, (async function* () {}).constructor, getPrototypeOf([][Symbol.iterator]()), new Error('x')]]);
  const found = new Map(); const seen = new Set([natives]); const queue = [...roots];
  for (let at = 0; at < queue.length; at += 1) {
    const [path, value] = queue[at];
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
    seen.add(value);
    if (natives.has(value) && !found.has(natives.get(value))) found.set(natives.get(value), path);
    if (ArrayBuffer.isView(value)) continue;
    const keys = attempt(() => ownKeys(value)); if (!Array.isArray(keys)) continue;
    for (const key of keys.slice(0, 3000)) {
      let member; try { member = getOwnPropertyDescriptor(value, key); } catch { continue; }
      if (!member) continue;
      const next = path.length > 200 ? path : path + '.' + String(key);
      if ('value' in member) queue.push([next, member.value]);
      else queue.push([next + ' getter', member.get], [next + ' setter', member.set], [next, attempt(() => member.get.call(value))]);
    }
    queue.push([path + ' prototype', attempt(() => getPrototypeOf(value))]);
    attempt(() => forEachOfMap.call(value, (one, key) => queue.push([path + ' key', key], [path + ' value', one])));
    attempt(() => forEachOfSet.call(value, (one) => queue.push([path + ' element', one])));
  }
  return { remembered: natives.size, objects: seen.size, found: Object.fromEntries(found) };
};`;

/** A program for Node itself: prints every identifier in its own sources as JSON. */
export const WORDS_OF_NODE = String.raw`const words = new Set();
for (const source of Object.values(process.binding('natives')))
  if (typeof source === 'string')
    for (const [word] of source.matchAll(/(?<![\w$])[A-Za-z_$][\w$]{0,39}(?![\w$])/g)) words.add(word);
process.stdout.write(JSON.stringify([...words]));`;
