import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMAGES } from '../../src/core/reactors/layer.ts';
import { reactorsOn } from './a-reactor.ts';
import { got, trying } from './attempts.ts';

describe.each(IMAGES)('%s', (image) => {
  const { layer, answerAlone, sharedReactor, withReactor } = reactorsOn(image);
  const { answerOf: responseOf, attacked } = sharedReactor();

  const clean = { outcome: 'returned', value: 'clean' };

  describe('the runtime out of reach', () => {
    it('the environment is not readable in any way', async () => {
      const code = `module.exports = async () => [Object.keys(process.env).length, Object.values(process.env).join()]`;
      expect(await responseOf(code)).toEqual({ outcome: 'returned', value: [0, ''] });
    });

    it.each([
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
      const { value } = await responseOf(code, { path });
      expect(got(value)).toEqual([]);
      expect(Object.keys(value).length).toBeGreaterThan(40);
    });

    it('descriptors that the parent of the runtime left open are closed', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'cloakroom-open-'));
      writeFileSync(join(folder, 'log'), 'plain');
      // With bash, since other shells do not understand descriptors of two digits.
      const command = [
        'bash',
        '-c',
        `exec 3<>"${folder}/log" 62<>"${folder}/log"; exec "${layer()}/bootstrap"`,
      ] as const;
      const code = `module.exports = () => [3, 62].map((fd) => { try { return require('fs').readFileSync(fd, 'utf8') } catch (error) { return error.code } })`;
      await withReactor(
        code,
        async (reactor) => {
          for (const read of (await reactor.invoke()).response.value)
            expect(String(read)).not.toContain('plain');
          expect(readFileSync(`/proc/${String(reactor.pid())}/fd/62`, 'utf8')).toBe('plain');
        },
        { command: [...command] },
      );
      rmSync(folder, { recursive: true });
    });

    it('no operation takes a descriptor that Node itself has opened', async () => {
      const code = `const fs = require('fs'); const at = (use) => { try { return 'GOT ' + use() } catch (error) { return error.code } };
        const uses = [(fd) => fs.writeSync(fd, Buffer.alloc(16)), (fd) => fs.readSync(fd, Buffer.alloc(16)), (fd) => fs.writevSync(fd, [Buffer.alloc(16)]), (fd) => fs.writeFileSync(fd, 'x'), (fd) => fs.readFileSync(fd, 'utf8'), (fd) => fs.ftruncateSync(fd), (fd) => fs.fstatSync(fd), (fd) => fs.closeSync(fd)];
        module.exports = () => { const seen = {}; for (let fd = 3; fd < 64; fd += 1) for (const use of uses) { const got = at(() => use(fd)); seen[got] = (seen[got] ?? 0) + 1 } return seen };`;
      const { value } = await responseOf(code);
      // Node has some twenty; the other numbers are free.
      expect(Object.keys(value).filter((outcome) => outcome.startsWith('GOT'))).toEqual([]);
      expect(value.EACCES).toBeGreaterThan(8 * 10);
    });

    it('memory that a native uses cannot be freed or chosen', async () => {
      const attempts = `{
        transfer: () => (bytes.buffer.transfer(0), bytes.length || 'FREED'), fixed: () => (bytes.buffer.transferToFixedLength(0), bytes.length || 'FREED'), clone: () => (structuredClone(bytes, { transfer: [bytes.buffer] }), bytes.length || 'FREED'),
        stream: async () => { new ReadableStream({ type: 'bytes', start: (controller) => controller.enqueue(bytes) }); return bytes.length || 'FREED' },
        reader: async () => { new ReadableStream({ type: 'bytes' }).getReader({ mode: 'byob' }).read(bytes); return bytes.length || 'FREED' },
        view: () => { let seen; new ReadableStream({ type: 'bytes', autoAllocateChunkSize: 64, pull(controller) { seen = controller.byobRequest } }).getReader().read(); return seen && 'FREED' },
        blob: () => { const source = new ArrayBuffer(8); source.slice = () => bytes.buffer; new Blob([source]); return bytes.length || 'FREED' }, everyBlob: () => { const { slice } = ArrayBuffer.prototype; ArrayBuffer.prototype.slice = () => bytes.buffer; try { new Blob(['text']) } finally { ArrayBuffer.prototype.slice = slice } return bytes.length || 'FREED' },
        species: () => { const source = new Uint8Array(8); source.buffer.constructor = { [Symbol.species]: function () { return bytes.buffer } }; new ReadableStream({ type: 'bytes', start: (controller) => controller.enqueue(source) }); return bytes.length || 'FREED' },
        parent: () => { for (let at = hooked('TCPWRAP'); at; at = Object.getPrototypeOf(at)) if (at !== Object.prototype && typeof at.constructor === 'function') at.constructor(); return 'FREED' },
        zlib: () => new (zlib.createDeflate()._handle.constructor)(1) && 'FREED', socket: () => new (hooked('TCPWRAP').constructor)(0) && 'FREED', handle: async () => new ((await fs.promises.open(__filename))[Object.getOwnPropertySymbols(await fs.promises.open(__filename)).find((key) => String(key) === 'Symbol(kHandle)')].constructor)(17) && 'FREED',
      }`;
      const prelude = `const fs = require('fs'), zlib = require('zlib'), bytes = new Uint8Array(new ArrayBuffer(64)); const { ReadableStream } = require('stream/web'); const { Blob } = require('buffer');
        // A native uses the memory from here on.
        fs.read(fs.openSync(__filename), bytes, 0, 64, 0, () => {});
        const found = {}; require('async_hooks').createHook({ init(id, type, trigger, resource) { found[type] = resource } }).enable(); const hooked = (type) => { require('net').connect(1, '127.0.0.1').on('error', () => {}); return found[type] };`;
      const { value } = await responseOf(trying(prelude, attempts));
      expect(Object.values(value).filter((outcome) => outcome === 'GOT FREED')).toEqual([]);
      expect(Object.keys(value)).toHaveLength(13);
    });

    it('a path is resolved where the process is, whatever process.cwd says, and a failed copy removes nothing', async () => {
      const attempts = `{
        read: () => fs.readFileSync('.'), text: () => fs.readFileSync('', 'utf8'), list: () => fs.readdirSync('.').includes('passwd') || refused(), rmdir: () => fs.rmdirSync('.'), chmod: () => fs.chmodSync('.', 0o777),
        copy: () => fs.copyFileSync(__filename, '/dev/null'), copyP: () => fs.promises.copyFile(__filename, '/dev/null'), cp: () => fs.cpSync(__filename, '/dev/null'), cpP: () => fs.promises.cp(__filename, '/dev/null'), rename: () => fs.renameSync(temp + '/own', '/dev/null'),
        key: () => require('crypto').createPrivateKey(new URL('file:///etc/passwd')), sign: () => require('crypto').sign('sha256', Buffer.from('a'), new URL('file:///etc/passwd')),
      }`;
      const prelude = `const fs = require('fs'); const temp = require('os').tmpdir(); const refused = () => { throw new Error('nothing') }; fs.writeFileSync(temp + '/own', 'x');
        process.cwd = () => temp + '/..'.repeat(20) + '/etc';`;
      expect(got((await responseOf(trying(prelude, attempts))).value)).toEqual([]);
    });

    it('a process has only the descriptors of its event, its response and its output', async () => {
      const code = `const fs = require('fs'); module.exports = () => { const open = []; for (let fd = 0; fd < 200; fd += 1) try { const s = fs.fstatSync(fd); open.push(fd + (s.isSocket() ? ' socket' : s.isCharacterDevice() ? ' device' : s.isFIFO() ? ' pipe' : s.isFile() ? ' file' : '')) } catch {} return open };`;
      // The tests' own runner has more descriptors, which the runtime replaces with `/dev/null`.
      const opened = (entries: string[]) => entries.filter((entry) => / (socket|file)$/.test(entry));
      expect(opened((await responseOf(code)).value)).toEqual(['0 socket', '1 socket', '2 socket']);
      // `bootstrap` starts the runtime in this way on Lambda.
      const silent = ['sh', '-c', `exec "${layer()}/bootstrap" >/dev/null 2>&1`] as const;
      await withReactor(
        code,
        async (reactor) => {
          expect(opened((await reactor.invoke()).response.value)).toEqual(['0 socket', '1 socket']);
        },
        { command: [...silent] },
      );
    });

    it('the Runtime API cannot be reached through any module', async () => {
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
          nodeFetch: () => require('node-fetch')('http://' + host + ':' + port + '/2018-06-01/runtime/invocation/next', { timeout: 500 }),
          nodeFetchAgent: () => require('node-fetch')('http://example.com:' + port, { timeout: 500, agent: new (require('http').Agent)({ lookup: (n, o, cb) => setImmediate(cb, null, host, 4) }) }),
          nodeFetchMetadata: () => require('node-fetch')('http://169.254.169.254/latest/meta-data', { timeout: 500 }),
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
          const { response } = await reactor.invoke({ port: reactor.port });
          expect(got(response.value)).toEqual([]);
          expect(Object.keys(response.value).length).toBeGreaterThan(30);
          expect((await reactor.invoke({ port: 1 })).response.outcome).toBe('returned');
        },
      );
    });

    it('an event that the code has forged permits nothing', async () => {
      const code = `const fs = require('fs'); const file = require('os').tmpdir() + '/event'; const frame = (value) => { const text = Buffer.from(JSON.stringify(value)); const head = Buffer.alloc(4); head.writeUInt32BE(text.length); return Buffer.concat([head, text]) };
      const ports = { local_ports: [9], localPorts: [9], client: { base_url: 'http://127.0.0.1:9', api_key: 'k', header_prefix: 'SVC' } };
      fs.writeFileSync(file, frame({ ...ports, request: { args: { forged: true }, configuration: {} } }));
      fs.closeSync(0); const fd = fs.openSync(file); if (fd !== 0) throw new Error('not in the place of the event: ' + fd);
      module.exports = (req) => new Promise((done) => require('net').connect(9, '127.0.0.1').on('connect', () => done('connected')).on('error', (error) => done([req.args.forged, error.code])));`;
      let response;
      // It may respond to its own event before it is read, without effect.
      for (
        let tries = 0;
        tries < 20 && (response === undefined || response.outcome === 'timed_out');
        tries += 1
      )
        response = await answerAlone(code, {}, { timeout_ms: 300 });
      expect(response).toEqual({ outcome: 'returned', value: [true, 'EACCES'] });
    });

    it('the permissions of an event apply to that event and equal ones only', async () => {
      const code = `module.exports = () => new Promise((done) => require('net').connect(9, '127.0.0.1').on('connect', () => done('connected')).on('error', (error) => done(error.code)));`;
      await withReactor(code, async (reactor) => {
        const responses = [];
        for (const ports of [[], [9], [9], [], [10, 11], []])
          responses.push((await reactor.invoke({}, { local_ports: ports })).response.value);
        expect(responses).toEqual(['EACCES', 'ECONNREFUSED', 'ECONNREFUSED', 'EACCES', 'EACCES', 'EACCES']);
        expect(reactor.started()).toBe(1);
      });
    });
  });

  describe('the response is one, and its author’s', () => {
    it.each([
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
    ])('changed built-ins (%s) do not change the response', async (_what, change) => {
      const { result, next } = await attacked(`${change}; return { raw: 1 }`, '"clean"', { timeout_ms: 500 });
      expect(['returned', 'threw', 'timed_out', 'exited']).toContain(result.response?.outcome);
      if (result.response?.outcome === 'returned') expect(result.response.value).toEqual({ raw: 1 });
      expect(next).toEqual(clean);
    });

    it('toJSON of every object applies to the author’s value alone', async () => {
      const { result } = await attacked('Object.prototype.toJSON = () => 7; return { raw: 1 }');
      expect(result.response).toEqual({ outcome: 'returned', value: 7 });
    });

    it('output after the first response is ignored', async () => {
      const attack =
        'setTimeout(() => { throw new Error("second") }, 0); setImmediate(() => Promise.reject(1)); return "first"';
      const { result, next } = await attacked(attack);
      expect(result.response).toEqual({ outcome: 'returned', value: 'first' });
      expect(next).toEqual(clean);
    });
  });

  describe('the next invocation sees nothing', () => {
    it.each([
      [
        'globals',
        'globalThis.left = 1; Object.prototype.left = 1',
        'typeof left === "undefined" ? "clean" : left',
      ],
      [
        'the built-ins',
        'require("os").left = 1; require("fs").readFileSync = () => "saved"; require("http").globalAgent.left = 1',
        'require("os").left || require("http").globalAgent.left || (require("fs").readFileSync.name === "readFileSync" ? "clean" : "saved")',
      ],
      [
        'a package',
        'require("uuid").v4 = () => "saved"; require("axios").defaults.left = 1',
        'require("uuid").v4() === "saved" || require("axios").defaults.left || "clean"',
      ],
      [
        'process',
        'process.title = "saved"; process.env.LEFT = "1"; process.argv.push("saved"); try { process.umask(0o777) } catch {} process.exitCode = 3',
        'process.title === "saved" || process.env.LEFT || process.argv[1] || process.exitCode || (process.umask() === 0o777 ? "saved" : "clean")',
      ],
      [
        'name servers',
        'require("dns").setServers(["192.0.2.7"])',
        'require("dns").getServers().includes("192.0.2.7") ? "saved" : "clean"',
      ],
      [
        'timers',
        'setInterval(() => { try { require("fs").writeFileSync(require("os").tmpdir() + "/tick", "saved") } catch {} }, 1)',
        'await new Promise((r) => setTimeout(r, 100)), require("fs").readdirSync(require("os").tmpdir()).length || "clean"',
      ],
      [
        'object URLs',
        'try { globalThis.url = URL.createObjectURL(new (require("buffer").Blob)(["saved"])) } catch {}',
        'require("buffer").resolveObjectURL("blob:nodedata:1") ? "saved" : "clean"',
      ],
      [
        'diagnostics channels',
        'require("diagnostics_channel").channel("saved").subscribe(() => {})',
        'require("diagnostics_channel").hasSubscribers("saved") ? "saved" : "clean"',
      ],
      [
        'files',
        'const fs = require("fs"); const t = require("os").tmpdir(); fs.mkdirSync(t + "/a/b/c", { recursive: true }); fs.writeFileSync(t + "/a/b/f", "x"); fs.writeFileSync(Buffer.from(t + "/\\u00ff"), "x"); fs.chmodSync(t + "/a/b", 0o500); fs.chmodSync(t + "/a", 0)',
        'require("fs").readdirSync(require("os").tmpdir()).join() || "clean"',
      ],
      [
        'open files',
        'globalThis.f = require("fs").openSync(require("os").tmpdir() + "/open", "w+"); for (let n = 0; n < 50; n += 1) require("fs").openSync(require("os").tmpdir() + "/open" + n, "w")',
        'require("fs").openSync("/dev/null") < 60 ? "clean" : "saved"',
      ],
      [
        'folders deeper than a path can be',
        'const fs = require("fs"); const t = require("os").tmpdir(); const deep = "/" + Array(30).fill("d".repeat(100)).join("/"); for (const n of ["/x", "/y"]) fs.mkdirSync(t + n + deep, { recursive: true }); fs.renameSync(t + "/y", t + "/x" + deep + "/y")',
        'require("fs").readdirSync(require("os").tmpdir()).join() || "clean"',
      ],
    ])('%s', async (_what, attack, inspection) => {
      const { result, next, started } = await attacked(`${attack}; return 1`, inspection);
      expect(result.response).toEqual({ outcome: 'returned', value: 1 });
      expect(next).toEqual(clean);
      expect(started).toBe(1);
    });

    it('the temp folder itself remains, and nothing outside it is touched', async () => {
      const code = trying(
        `const fs = require('fs'); const t = require('os').tmpdir(); try { fs.rmSync(t, { recursive: true }) } catch {}`,
        `{ chmod: () => fs.chmodSync(t, 0), rmdir: () => fs.rmdirSync(t), rename: () => fs.renameSync(t, t + '2'), beside: () => fs.writeFileSync(t + '/../beside', 'x'), task: () => fs.writeFileSync(require.resolve ? 'x' : __filename, 'x'), own: () => fs.writeFileSync(__filename, 'x') }`,
      );
      await withReactor(code, async (reactor) => {
        expect(got((await reactor.invoke()).response.value)).toEqual([]);
        await reactor.invoke();
        expect(existsSync(reactor.temp)).toBe(true);
        expect(readdirSync(join(reactor.temp, '..')).sort()).toEqual(['task', 'tmp']);
      });
    });
  });
});
