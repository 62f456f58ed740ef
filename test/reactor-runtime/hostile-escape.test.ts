import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf, attacked, withReactor } from './a-reactor.ts';

const clean = { outcome: 'returned', value: 'clean' };

/** Runs each expression and answers what it gave, or the code of its error. */
const trying = (prelude: string, attempts: string) => `module.exports = async (req) => {
  ${prelude}
  const outcomes = {};
  for (const [name, attempt] of Object.entries(${attempts})) {
    try { const got = await attempt(); outcomes[name] = 'GOT ' + String(got).slice(0, 60) } catch (error) { outcomes[name] = (error && (error.code || error.message)) || 'refused' }
  }
  return outcomes;
}`;

const got = (outcomes: Record<string, string>) =>
  Object.entries(outcomes).filter(([, outcome]) => outcome.startsWith('GOT'));

describe('the runtime out of reach', () => {
  test('no buffer shows what an earlier invocation has left in the memory of the process', async () => {
    const code = `const secret = []; module.exports = (req) => {
      if (req.args.keep) { for (let i = 0; i < 20000; i += 1) secret.push(Buffer.from('left behind ' + i)); return 'kept'; }
      let dirty = 0;
      for (const size of [96, 1000, 4096, 65536, 130000]) for (let i = 0; i < 200; i += 1) if (Buffer.allocUnsafeSlow(size).some((byte) => byte !== 0) || Buffer.allocUnsafe(size).some((byte) => byte !== 0)) dirty += 1;
      return dirty; };`;
    await withReactor(code, async (reactor) => {
      expect((await reactor.invoke({ keep: true })).answer).toEqual({ outcome: 'returned', value: 'kept' });
      expect((await reactor.invoke({})).answer).toEqual({ outcome: 'returned', value: 0 });
    });
  });

  test('there is no channel to send handles through', async () => {
    const code =
      "module.exports = () => ['MessageChannel', 'MessagePort', 'BroadcastChannel'].filter((name) => name in globalThis);";
    expect(await answerOf(code)).toEqual({ outcome: 'returned', value: [] });
  });

  test('nothing of the environment is there, by any way of reading it', async () => {
    const code = `module.exports = async () => [Object.keys(process.env).length, Object.values(process.env).join()]`;
    expect(await answerOf(code)).toEqual({ outcome: 'returned', value: [0, ''] });
  });

  test.each([
    '/proc/self/environ',
    '/proc/self/mem',
    '/proc/1/environ',
    '/sys/kernel',
    '/dev/fd/3',
    '/etc/mtab',
    '/dev/stdin',
    '/etc/passwd',
    '../../../../proc/self/maps',
  ])('no function of fs reads %s', async (path) => {
    const code = trying(
      `const fs = require('fs'); const P = fs.promises; const path = req.args.path; const os = require('os');
         const call = (name, ...args) => new Promise((resolve, reject) => fs[name](...args, (e, v) => (e ? reject(e) : resolve(v))));
         const buffer = Buffer.from(path); const target = os.tmpdir() + '/copy';
         const url = path.startsWith('/') ? require('url').pathToFileURL(path) : path;`,
      `{
          readFileSync: () => fs.readFileSync(path), readFile: () => call('readFile', path), readFileP: () => P.readFile(path),
          buffer: () => fs.readFileSync(buffer), url: () => fs.readFileSync(url), dots: () => fs.readFileSync(os.tmpdir() + '/../..' + path),
          slashes: () => fs.readFileSync('//' + path), open: () => fs.openSync(path), openP: () => P.open(path), rw: () => fs.openSync(path, 'r+'),
          copy: () => (fs.copyFileSync(path, target), fs.readFileSync(target)), copyP: () => P.copyFile(path, target), cp: () => fs.cpSync(path, target, { recursive: true }), cpP: () => P.cp(path, target, { recursive: true }),
          link: () => (fs.linkSync(path, target), fs.readFileSync(target)), symlink: () => (fs.symlinkSync(path, target), fs.readFileSync(target)),
          relative: () => (fs.symlinkSync('../../..' + path, target), fs.readFileSync(target)), rename: () => fs.renameSync(path, target),
          readdir: () => fs.readdirSync(path), readdirP: () => P.readdir(path), opendir: () => fs.opendirSync(path).readSync(), opendirCb: () => call('opendir', path), opendirP: () => P.opendir(path),
          stream: () => new Promise((resolve, reject) => fs.createReadStream(path).on('data', resolve).on('error', reject)),
          write: () => fs.writeFileSync(path, 'x'), append: () => P.appendFile(path, 'x'), truncate: () => fs.truncateSync(path), unlink: () => fs.unlinkSync(path), rm: () => fs.rmSync(path),
          stat: () => fs.statSync(path).size, lstat: () => P.lstat(path), realpath: () => fs.realpathSync.native(path), readlink: () => fs.readlinkSync(path), access: () => fs.accessSync(path),
          chmod: () => fs.chmodSync(path, 0o777), utimes: () => fs.utimesSync(path, 1, 1), watch: () => fs.watch(path).close(), watchFile: () => fs.watchFile(path, () => {}), mkdir: () => fs.mkdirSync(path + '/x', { recursive: true }), mkdtemp: () => fs.mkdtempSync(path + '/x'),
          resolved: () => { require('path').resolve = () => os.tmpdir() + '/../../../../../../' + path; return fs.readFileSync(path) },
          cwd: () => { process.cwd = () => path; return fs.readFileSync('') },
          buffers: () => { Buffer.prototype.utf8Slice = () => os.tmpdir() + '/x'; String.prototype.startsWith = () => true; return fs.readFileSync(buffer) },
        }`,
    );
    const { value } = await answerOf(code, { path });
    expect(got(value)).toEqual([]);
    expect(Object.keys(value).length).toBeGreaterThan(40);
  });

  test('open files of the process cannot be used by their number', async () => {
    const code = trying(
      `const fs = require('fs'); const net = require('net');`,
      `Object.fromEntries(Array.from({ length: 40 }, (_, fd) => [
        ['read' + fd, () => fs.readSync(fd, Buffer.alloc(1))], ['write' + fd, () => fs.writeSync(fd, 'x')], ['fstat' + fd, () => fs.fstatSync(fd)], ['close' + fd, () => fs.closeSync(fd)],
        ['socket' + fd, () => new net.Socket({ fd })],
      ]).flat())`,
    );
    await withReactor(code, async (reactor) => {
      expect(got((await reactor.invoke()).answer.value)).toEqual([]);
      expect((await reactor.invoke()).answer.outcome).toBe('returned');
      expect(reactor.started()).toBe(1);
    });
  });

  test('a closed handle gives no way to the number it had', async () => {
    const code = trying(
      `const fs = require('fs'); const file = require('os').tmpdir() + '/f'; fs.writeFileSync(file, 'x');
       const handle = await fs.promises.open(file); const fd = handle.fd; const native = handle[Object.getOwnPropertySymbols(handle).find((s) => String(s) === 'Symbol(kHandle)')]; await handle.close();`,
      `{ read: () => fs.readSync(fd, Buffer.alloc(1)), construct: () => new native.constructor(1), proto: () => new (Object.getPrototypeOf(native).constructor)(1) }`,
    );
    expect(got((await answerOf(code)).value)).toEqual([]);
  });

  test('the Runtime API cannot be reached by any module', async () => {
    await withReactor(
      trying(
        `const port = req.args.port; const host = '127.0.0.1'; const os = require('os');
         const wait = (emitter, event) => new Promise((resolve, reject) => { emitter.on(event, () => resolve('reached')); emitter.on('error', reject); });
         const get = (url, options) => new Promise((resolve, reject) => require('http').get(url, options || {}, (r) => resolve(r.statusCode)).on('error', reject));
         const hosts = ['127.0.0.1', '127.1', '127.8.8.8', '0.0.0.0', '0', '2130706433', '0x7f.1', 'localhost', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '169.254.169.254', '[fe80::1]',
           ...Object.values(os.networkInterfaces()).flat().map((i) => (i.family === 'IPv6' ? '[' + i.address + ']' : i.address))];
         const net = require('net');`,
        `{
          ...Object.fromEntries(hosts.map((name) => ['http ' + name, () => get('http://' + name + ':' + port + '/2018-06-01/runtime/invocation/next')])),
          net: () => wait(net.connect(port, host), 'connect'), zone: () => wait(net.connect({ port, host: '::1%lo' }), 'connect'), localAddress: () => wait(net.connect({ port, host, localAddress: '127.0.0.1' }), 'connect'),
          lookup: () => wait(net.connect({ port, host: 'example.com', lookup: (n, o, cb) => cb(null, host, 4) }), 'connect'),
          https: () => new Promise((resolve, reject) => require('https').get({ host, port, rejectUnauthorized: false }, resolve).on('error', reject)),
          tls: () => wait(require('tls').connect({ host, port, rejectUnauthorized: false }), 'secureConnect'),
          http2: () => wait(require('http2').connect('http://' + host + ':' + port), 'connect'),
          axios: () => require('axios').get('http://' + host + ':' + port + '/2018-06-01/runtime/invocation/next', { timeout: 500 }),
          udp: () => new Promise((resolve, reject) => require('dgram').createSocket('udp4').send('x', port, host, (e) => (e ? reject(e) : resolve()))),
          udpConnect: () => { const s = require('dgram').createSocket('udp4'); s.connect(port, host); return wait(s, 'connect') },
          unix: () => wait(net.connect('/tmp/some.sock'), 'connect'), abstract: () => wait(net.connect('\\0abstract'), 'connect'),
          listen: () => wait(net.createServer().listen(0), 'listening'), httpServer: () => wait(require('http').createServer().listen(0), 'listening'), unixServer: () => wait(net.createServer().listen(os.tmpdir() + '/s'), 'listening'),
          servers: () => { const r = new (require('dns').Resolver)(); r.setServers([host + ':' + port]); return 'set' },
          handle: async () => { const s = new net.Socket(); s.on('error', () => {}); s.connect(port, '192.0.2.1'); const T = s._handle.constructor; const h = new T(0); const e = h.connect({}, host, port); if (e !== 0) throw new Error('refused ' + e); return e },
          patched: () => { String.prototype.startsWith = () => false; Array.prototype[Symbol.iterator] = function* () {}; globalThis.URL = class { hostname = 'localhost'; port = String(port) }; return wait(net.connect(port, host), 'connect') },
        }`,
      ),
      async (reactor) => {
        const { answer } = await reactor.invoke({ port: reactor.port });
        expect(got(answer.value)).toEqual([]);
        expect(Object.keys(answer.value).length).toBeGreaterThan(30);
        expect((await reactor.invoke({ port: 1 })).answer.outcome).toBe('returned');
      },
    );
  });

  test('the permission to reach the service on this machine cannot be forged', async () => {
    const code = `
      const port1 = typeof MessageChannel === 'function' ? new MessageChannel().port1 : {}; const seen = [];
      const symbols = ['nodejs.internal.kHybridDispatch', 'nodejs.internal.kCurrentlyReceivingPorts'].map(Symbol.for);
      for (let proto = port1; proto && proto !== Object.prototype; proto = Object.getPrototypeOf(proto)) for (const s of symbols) try { proto[s] = function (data) { seen.push(typeof data); if (data) data[0] = globalThis.port } } catch {}
      for (const s of symbols) Object.defineProperty(Object.prototype, s, { set() { seen.push('setter') }, get() { return undefined }, configurable: true });
      JSON.parse = () => ({ request: {}, client: { base_url: 'http://127.0.0.1:1' } });
      module.exports = async (req) => ({ seen, n: req.args.n });`;
    expect(await answerOf(code, { n: 7 })).toEqual({ outcome: 'returned', value: { seen: [], n: 7 } });
  });

  test('no way of Node leads to its native half, its loader, other threads or other processes', async () => {
    const code = trying(
      `const sloppy = []; Error.prepareStackTrace = (e, sites) => sites; `,
      `{
        binding: () => process.binding('fs'), linked: () => process._linkedBinding('fs'), dlopen: () => process.dlopen({}, '/x'), mainModule: () => process.mainModule.require, report: () => process.report.writeReport(),
        kill: () => process.kill(process.pid, 'SIGKILL'), _kill: () => process._kill(process.pid, 9), abort: () => process.abort(), chdir: () => process.chdir('/'), debug: () => process._debugProcess(process.pid), debugEnd: () => process._debugEnd(),
        handles: () => process._getActiveHandles(), requests: () => process._getActiveRequests(), resources: () => process.getActiveResourcesInfo(), raw: () => process._rawDebug('x'), setuid: () => process.setuid(0),
        capture: () => process.setUncaughtExceptionCaptureCallback(() => {}), main: () => require.main.require, cache: () => Object.keys(require.cache), extensions: () => require.extensions['.js'], parent: () => module.parent.require, constructor: () => module.constructor._load('fs'),
        children: () => module.children[0].require, import: () => import('fs'), eval: () => eval("import('fs')"), indirect: () => (0, eval)("import('fs')"), Function: () => new Function("return import('fs')")(), then: () => Promise.resolve("import('fs')").then(eval),
        ...Object.fromEntries(['child_process', 'cluster', 'worker_threads', 'inspector', 'repl', 'v8', 'wasi', 'module', 'vm', 'trace_events', 'domain', '_tls_common', 'internal/fs/utils'].flatMap((name) => [[name, () => require(name)], ['node:' + name, () => require('node:' + name)]])),
        has: () => { const { has } = Set.prototype; Set.prototype.has = () => true; Array.prototype.includes = () => true; try { return require('worker_threads') } finally { Set.prototype.has = has } },
        proto: () => { Object.prototype.worker_threads = true; return require('worker_threads') },
        coerced: () => require({ toString: () => 'child_process' }),
        engine: () => require('crypto').setEngine('/tmp/x.so'), fips: () => require('crypto').setFips(1), certEngine: () => require('tls').createSecureContext({ clientCertEngine: '/tmp/x.so' }),
        keyEngine: () => require('tls').createSecureContext({ privateKeyEngine: '/tmp/x.so', privateKeyIdentifier: 'x' }), priority: () => require('os').setPriority(19), hook: () => require('async_hooks').createHook({}), resource: () => require('async_hooks').executionAsyncResource(),
        tty: () => new (require('tty').ReadStream)(1), sites: () => { const s = new Error().stack.map((x) => x.getFunction() || x.getThis()).filter(Boolean).filter((x) => x !== globalThis); if (s.length < 3) throw new Error('none'); return s },
      }`,
    );
    await withReactor(code, async (reactor) => {
      const outcomes = (await reactor.invoke()).answer.value;
      expect(got(outcomes)).toEqual([]);
      // Refused, not merely without such a file.
      const { engine, fips, certEngine, keyEngine, priority } = outcomes;
      expect([engine, fips, certEngine, keyEngine, priority]).toEqual(Array(5).fill('EACCES'));
      expect((await reactor.invoke()).answer.outcome).toBe('returned');
      expect(reactor.started()).toBe(1);
    });
  });
});

describe('the answer is one, and its author’s', () => {
  test.each([
    ['JSON', 'JSON.stringify = () => "{\\"outcome\\":\\"stale\\"}"; JSON.parse = () => 1'],
    ['Promise', 'globalThis.Promise = class {}; Promise.prototype.then = () => {}; '],
    ['Promise methods', 'Object.getPrototypeOf((async () => {})()).then = () => {}'],
    [
      'Array.prototype',
      'Array.prototype[Symbol.iterator] = null; Array.prototype.push = null; Object.defineProperty(Array.prototype, "0", { set() {} })',
    ],
    [
      'setters on Object.prototype',
      'for (const n of ["outcome", "value", "status", "errno", "get", "set", "constructor"]) Object.defineProperty(Object.prototype, n, { set() { throw 1 }, get() { throw 1 }, configurable: true })',
    ],
    [
      'EventEmitter',
      'require("events").prototype.emit = () => {}; process.emit = null; process.nextTick = null',
    ],
    [
      'MessagePort',
      'MessagePort.prototype.postMessage = () => {}; MessagePort.prototype.start = null; EventTarget.prototype.dispatchEvent = null',
    ],
    [
      'Reflect and Function',
      'Reflect.apply = null; Function.prototype.call = null; Function.prototype.apply = null; Reflect.defineProperty = null',
    ],
    ['Symbol.species', 'Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } })'],
  ])('changed built-ins (%s) do not change how it is answered', async (_what, change) => {
    const { result, next } = await attacked(`${change}; return { raw: 1 }`, '"clean"', { timeout_ms: 1_000 });
    expect(['returned', 'threw', 'timed_out', 'exited']).toContain(result.answer?.outcome);
    if (result.answer?.outcome === 'returned') expect(result.answer.value).toEqual({ raw: 1 });
    expect(next).toEqual(clean);
  });

  test('toJSON of every object applies to the author’s value alone', async () => {
    const { result } = await attacked('Object.prototype.toJSON = () => 7; return { raw: 1 }');
    expect(result.answer).toEqual({ outcome: 'returned', value: 7 });
  });

  test('what comes after the first answer is ignored', async () => {
    const attack =
      'setTimeout(() => { throw new Error("second") }, 0); setImmediate(() => Promise.reject(1)); return "first"';
    const { result, next } = await attacked(attack);
    expect(result.answer).toEqual({ outcome: 'returned', value: 'first' });
    expect(next).toEqual(clean);
  });
});

describe('the next invocation sees nothing', () => {
  test.each([
    [
      'globals',
      'globalThis.kept = 1; Object.prototype.kept = 1',
      'typeof kept === "undefined" ? "clean" : kept',
    ],
    [
      'the built-ins',
      'require("os").kept = 1; require("fs").readFileSync = () => "kept"; require("http").globalAgent.kept = 1',
      'require("os").kept || require("http").globalAgent.kept || (require("fs").readFileSync.name === "readFileSync" ? "clean" : "kept")',
    ],
    [
      'a package',
      'require("uuid").v4 = () => "kept"; require("axios").defaults.kept = 1',
      'require("uuid").v4() === "kept" || require("axios").defaults.kept || "clean"',
    ],
    [
      'process',
      'process.title = "kept"; process.env.KEPT = "1"; process.argv.push("kept"); try { process.umask(0o777) } catch {} process.exitCode = 3',
      'process.title === "kept" || process.env.KEPT || process.argv[1] || process.exitCode || (process.umask() === 0o777 ? "kept" : "clean")',
    ],
    [
      'name servers',
      'require("dns").setServers(["192.0.2.7"])',
      'require("dns").getServers().includes("192.0.2.7") ? "kept" : "clean"',
    ],
    [
      'timers',
      'setInterval(() => { try { require("fs").writeFileSync(require("os").tmpdir() + "/tick", "kept") } catch {} }, 1)',
      'await new Promise((r) => setTimeout(r, 100)), require("fs").readdirSync(require("os").tmpdir()).length || "clean"',
    ],
    [
      'object URLs',
      'globalThis.url = URL.createObjectURL(new (require("buffer").Blob)(["kept"])); require("fs").writeFileSync(require("os").tmpdir() + "/url", url)',
      'require("buffer").resolveObjectURL("blob:nodedata:1") ? "kept" : "clean"',
    ],
    [
      'diagnostics channels',
      'require("diagnostics_channel").channel("kept").subscribe(() => {})',
      'require("diagnostics_channel").hasSubscribers("kept") ? "kept" : "clean"',
    ],
    [
      'files',
      'const fs = require("fs"); const t = require("os").tmpdir(); fs.mkdirSync(t + "/a/b/c", { recursive: true }); fs.writeFileSync(t + "/a/b/f", "x"); fs.writeFileSync(Buffer.from(t + "/\\u00ff"), "x"); fs.chmodSync(t + "/a/b", 0o500); fs.chmodSync(t + "/a", 0)',
      'require("fs").readdirSync(require("os").tmpdir()).join() || "clean"',
    ],
    [
      'open files',
      'globalThis.f = require("fs").openSync(require("os").tmpdir() + "/open", "w+"); for (let n = 0; n < 50; n += 1) require("fs").openSync(require("os").tmpdir() + "/open" + n, "w")',
      'require("fs").openSync("/dev/null") < 60 ? "clean" : "kept"',
    ],
    [
      'folders deeper than a path can be',
      'const fs = require("fs"); const t = require("os").tmpdir(); const deep = "/" + Array(30).fill("d".repeat(100)).join("/"); for (const n of ["/x", "/y"]) fs.mkdirSync(t + n + deep, { recursive: true }); fs.renameSync(t + "/y", t + "/x" + deep + "/y")',
      'require("fs").readdirSync(require("os").tmpdir()).join() || "clean"',
    ],
  ])('%s', async (_what, attack, inspection) => {
    const { result, next, started } = await attacked(`${attack}; return 1`, inspection);
    expect(result.answer).toEqual({ outcome: 'returned', value: 1 });
    expect(next).toEqual(clean);
    expect(started).toBe(1);
  });

  test('the temp folder itself stays, and nothing beside it is touched', async () => {
    const code = trying(
      `const fs = require('fs'); const t = require('os').tmpdir(); try { fs.rmSync(t, { recursive: true }) } catch {}`,
      `{ chmod: () => fs.chmodSync(t, 0), rmdir: () => fs.rmdirSync(t), rename: () => fs.renameSync(t, t + '2'), beside: () => fs.writeFileSync(t + '/../beside', 'x'), task: () => fs.writeFileSync(require.resolve ? 'x' : __filename, 'x'), own: () => fs.writeFileSync(__filename, 'x') }`,
    );
    await withReactor(code, async (reactor) => {
      expect(got((await reactor.invoke()).answer.value)).toEqual([]);
      await reactor.invoke();
      expect(existsSync(reactor.temp)).toBe(true);
      expect(readdirSync(join(reactor.temp, '..')).sort()).toEqual(['task', 'tmp']);
    });
  });
});
