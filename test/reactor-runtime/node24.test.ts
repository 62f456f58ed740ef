import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUTHOR_PACKAGES } from '../../src/core/reactors/author-packages.ts';
import { startReactor } from '../support/runtime-api.ts';
import { AMPLE_MS, reactorsOn } from './a-reactor.ts';
import { got, trying } from './attempts.ts';

const { layer, sharedReactor } = reactorsOn('node24');
const { answerOf } = sharedReactor();

const TOOLS = `const fs = require('fs'); const net = require('net'); const temp = require('os').tmpdir(); const P = fs.promises;
  const refused = (value) => { throw new Error('nothing: ' + value) };`;

const tried = async (prelude: string, attempts: string, args: object = {}) =>
  got((await answerOf(trying(TOOLS + prelude, attempts), args)).value);

describe('what Node.js 24 has and 16 has not', () => {
  it('no other function of fs opens, lists, makes or removes anything outside', async () => {
    const outside = join(tmpdir(), `cloakroom-outside-${String(process.pid)}`);
    const attempts = `{
      utf8: () => fs.readFileSync('/proc/self/environ', 'utf8'), writing: () => fs.readFileSync('/etc/hosts', { encoding: 'utf8', flag: 'r+' }), own: () => fs.readFileSync(__filename, { encoding: 'utf8', flag: 'a+' }), truncating: () => fs.readFileSync('/etc/hosts', { encoding: 'utf8', flag: 'w+' }), utf8P: () => P.readFile('/etc/passwd', 'utf8'),
      text: () => fs.writeFileSync(outside, 'x'), appended: () => fs.appendFileSync(outside, 'x'), textP: () => P.writeFile(outside, 'x'), stream: () => new Promise((done, fail) => new fs.Utf8Stream({ dest: outside, mkdir: true, sync: true }).on('ready', done).on('error', fail)),
      rm: () => fs.rmSync('/etc/cloakroom', { recursive: true, force: true }), rmTemp: () => fs.rmSync(temp, { recursive: true }), rmAbove: () => fs.rmSync(temp + '/..', { recursive: true }), rmP: () => P.rm('/etc/cloakroom', { recursive: true }),
      opendir: () => fs.opendirSync('/proc'), opendirP: () => P.opendir('/proc'), readdir: () => fs.readdirSync('/proc', { recursive: true }), glob: () => fs.globSync('/proc/*').length || refused(0), globP: async () => { for await (const found of P.glob('/proc/*')) return found; refused(0) }, statfs: () => fs.statfsSync('/proc'), statfsP: () => P.statfs('/proc'),
      mkdtemp: () => fs.mkdtempSync(temp + '/../x'), mkdtempP: () => P.mkdtemp(outside), mkdtempBuffer: () => fs.mkdtempSync(Buffer.from(outside)), disposable: () => fs.mkdtempDisposableSync(outside),
      blob: () => fs.openAsBlob('/etc/passwd'), exists: () => fs.existsSync('/etc/passwd') || refused(false), watch: () => fs.watch('/proc', { recursive: true }), watchFile: () => fs.watchFile('/proc/self', () => {}),
      cp: () => fs.cpSync('/etc/passwd', temp + '/p'), cpOutside: () => fs.cpSync(__filename, outside), cpDeep: () => fs.cpSync(__filename, outside + '/a/b'), cpP: () => P.cp('/etc/passwd', temp + '/p'), links: () => { fs.cpSync('/etc/ssl/certs', temp + '/certs', { recursive: true, verbatimSymlinks: true }); return fs.readdirSync(temp + '/certs', { withFileTypes: true }).some((entry) => entry.isSymbolicLink()) || refused(0) },
      folder: () => { const dir = fs.opendirSync(temp); Object.defineProperty(dir, 'path', { value: '/proc' }); return Object.getPrototypeOf(dir).readSyncRecursive.call(dir, { name: 'self', parentPath: '/proc', isDirectory: () => true }) ?? refused(0) },
      maps: () => { const made = new Function('util', 'return util.getCallSites(2, { sourceMap: true })\\n//# sourceMappingURL=file:///proc/self/environ'); return JSON.stringify(made(require('util'))).includes('PATH') || refused(0) },
    }`;
    expect(await tried(`const outside = req.args.outside;`, attempts, { outside })).toEqual([]);
    expect(existsSync(outside)).toBe(false);
  });

  it('no built-in leads to processes, threads, other modules or messages', async () => {
    const attempts = `{
      builtIn: () => process.getBuiltinModule('child_process'), environment: () => process.loadEnvFile('/proc/self/environ'), execve: () => process.execve('/bin/true', [], {}), maps: () => process.setSourceMapsEnabled(true), more: () => (process.permission.drop('fs.write', '/x'), process.permission.has('fs.write', '/etc') || refused(0)),
      ...Object.fromEntries(['child_process', 'node:sqlite', 'sqlite', 'node:test', 'node:test/reporters', 'node:sea', 'inspector/promises', 'node:quic', 'node:ffi', 'module', 'worker_threads'].map((name) => [name, () => require(name)])),
      ...Object.fromEntries(["import('fs')", "import('node:sqlite')", "import('data:text/javascript,export default 1')", "import('/etc/x.mjs')", "import('x', { with: { type: 'json' } })", "import.meta"].map((text) => [text, () => eval(text)])),
      channel: () => new MessageChannel(), broadcast: () => new BroadcastChannel('a'), port: () => new MessagePort(), post: () => MessagePort.prototype.postMessage.call({}, 1), worker: () => new Worker('data:text/javascript,1'),
      ...Object.fromEntries(['internal/bootstrap/realm:zz', 'worker_threads:zz', 'internal/test/binding:zz', 'fs:zz', 'internal/blob:zz'].map((info) => [info, () => {
        const list = new net.BlockList(); const seen = []; const clone = Reflect.ownKeys(net.BlockList.prototype).find((key) => String(key).includes('clone'));
        list[clone] = () => ({ data: {}, deserializeInfo: info });
        Object.defineProperty(Object.prototype, 'zz', { configurable: true, get() { seen.push(this); return function () {} } });
        try { structuredClone(list) } catch {} delete Object.prototype.zz; return seen.length || refused(0);
      }])),
      storage: () => localStorage.setItem('a', 'b'), socket: () => new net._TransferredBoundSocket({ fd: 1 }).address(), memory: () => new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true }).buffer.grow(1e9),
    }`;
    expect(await tried('', attempts)).toEqual([]);
  });

  describe('a service of this machine', () => {
    let server: Server;
    let asked = 0;
    beforeAll(async () => {
      server = createServer((_request, response) => void response.end()).on('connection', () => (asked += 1));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => void server.close());

    it('no client of Node.js 24 connects to it', async () => {
      const attempts = `{
        ...Object.fromEntries(['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '127.1', '[::ffff:127.0.0.1]', '169.254.169.254', '2130706433'].map((host) => [host, () => fetch('http://' + host + ':' + port)])),
        ...Object.fromEntries(['file:///etc/passwd', 'blob:nodedata:1', 'ftp://x'].map((url) => [url, () => fetch(url)])),
        webSocket: () => new Promise((done, fail) => { const socket = new WebSocket('ws://127.0.0.1:' + port); socket.onopen = done; socket.onerror = fail; }),
        lookup: () => fetch('http://a.example:' + port, { dispatcher: new Agent({ connect: { lookup: (host, options, done) => done(null, options.all ? [{ address: '127.0.0.1', family: 4 }] : '127.0.0.1', 4) } }) }),
        path: () => fetch('http://a.example', { dispatcher: new Agent({ connect: { socketPath: temp + '/s' } }) }),
        connect: () => fetch('http://a.example', { dispatcher: new Agent({ connect: (options, done) => { const socket = net.connect(port, '127.0.0.1').on('connect', () => done(null, socket)).on('error', done) } }) }),
        proxy: () => new Promise((done, fail) => http.get({ host: 'a.example', agent: new http.Agent({ proxyEnv: { http_proxy: 'http://127.0.0.1:' + port } }) }, done).on('error', fail)),
        everyProxy: () => { http.setGlobalProxyFromEnv({ http_proxy: 'http://127.0.0.1:' + port }); return new Promise((done, fail) => http.get('http://a.example/', done).on('error', fail)) },
        eyeballs: () => new Promise((done, fail) => net.connect({ host: 'a.example', port, autoSelectFamily: true, lookup: (host, options, found) => found(null, [{ address: '::1', family: 6 }, { address: '127.0.0.1', family: 4 }]) }).on('connect', done).on('error', fail)),
        bound: () => new Promise((done, fail) => net.connect({ port, host: '127.0.0.1', boundSocket: new net.BoundSocket({ host: '127.0.0.1', port: 0 }) }).on('error', fail).on('connect', done)),
        listens: () => new Promise((done, fail) => net.createServer().on('error', fail).listen(new net.BoundSocket({ host: '127.0.0.1', port: 0 }), done)),
        pipe: () => new net.BoundSocket({ path: temp + '/s' }), datagrams: () => require('dgram').createSocket('udp4').connectSync(port, '127.0.0.1'), datagram: () => new Promise((done, fail) => { const socket = require('dgram').createSocket('udp4').on('error', fail); socket.send('x', port, '127.0.0.1', (error) => (error ? fail(error) : done())) }),
        resolver: () => { const { Resolver } = require('dns'); const resolver = new Resolver(); resolver.setServers(['127.0.0.1:' + port]); return resolver },
      }`;
      const { port } = server.address() as AddressInfo;
      const prelude = `const { port } = req.args; const http = require('http'); try { await fetch('http://127.0.0.1:1') } catch {}
        const Agent = globalThis[Symbol.for('undici.globalDispatcher.1')].constructor;`;
      expect(await tried(prelude, attempts, { port })).toEqual([]);
      expect(asked).toBe(0);
    });
  });

  it('files stay closed without the guard of files, by the permission model', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloakroom-wall-'));
    for (const name of ['bin', 'bootstrap', 'packages']) symlinkSync(join(layer(), name), join(folder, name));
    cpSync(join(layer(), 'runtime'), join(folder, 'runtime'), { recursive: true });
    const worker = join(folder, 'runtime/worker.cjs');
    const guarded = readFileSync(worker, 'utf8');
    const open = guarded.replace('guardFiles(settings,layer)', '0');
    expect(open).not.toBe(guarded);
    writeFileSync(worker, open);
    const code = trying(
      TOOLS,
      `{ environ: () => fs.readFileSync('/proc/self/environ'), utf8: () => fs.readFileSync('/etc/passwd', 'utf8'), promise: () => P.readFile('/etc/passwd'), list: () => fs.readdirSync('/'), opendir: () => fs.opendirSync('/proc'), stat: () => fs.statSync('/etc/passwd'), write: () => fs.writeFileSync(temp + '/../x', 'x'), link: () => fs.symlinkSync('/etc/passwd', temp + '/l'), copy: () => fs.cpSync('/etc/passwd', temp + '/c'), watch: () => fs.watch('/etc'), stream: () => new Promise((done, fail) => fs.createReadStream('/etc/passwd').on('data', done).on('error', fail)), rm: () => fs.rmSync(temp + '/..', { recursive: true }), mkdtemp: () => fs.mkdtempSync(temp + '/../x') }`,
    );
    const reactor = await startReactor(folder, code, { image: 'node24', timeoutMs: AMPLE_MS });
    const { value } = (await reactor.invoke()).response;
    await reactor.close();
    rmSync(folder, { recursive: true });
    expect(got(value)).toEqual([]);
    expect(new Set(Object.values(value))).toEqual(new Set(['ERR_ACCESS_DENIED']));
  });
});

describe('code on Node.js 24', () => {
  it('every package of the layer loads', async () => {
    const names = AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers);
    const code =
      'module.exports = ({ args }) => args.map((name) => typeof require(name)).filter((type) => type === "undefined")';
    expect(await answerOf(code, names)).toEqual({ outcome: 'returned', value: [] });
  });

  it('runs on the version of the image, with its language', async () => {
    const code = `module.exports = async () => { { using used = { [Symbol.dispose]() {} }; } return [process.version, typeof fetch, /(?i:a)b/.test('Ab'), Object.groupBy([1], () => 'a').a] };`;
    expect(await reactorsOn('node24').answerAlone(code)).toEqual({
      outcome: 'returned',
      value: ['v24.22.3', 'function', true, [1]],
    });
  });

  it('uses its files and functions in the temp folder', async () => {
    const uses = `{
      text: () => (fs.writeFileSync(temp + '/a', 'x'), fs.appendFileSync(temp + '/a', 'y'), fs.readFileSync(temp + '/a', 'utf8')), exists: () => fs.existsSync(temp + '/a') && fs.existsSync(__filename), copy: () => (fs.cpSync(temp + '/a', temp + '/b'), fs.readFileSync(temp + '/b', 'utf8')), copyP: () => P.cp(temp + '/a', temp + '/c').then(() => fs.readFileSync(temp + '/c', 'utf8')),
      folders: () => (fs.mkdirSync(temp + '/d/e', { recursive: true }), fs.writeFileSync(temp + '/d/e/f', 'z'), P.cp(temp + '/d', temp + '/g', { recursive: true }).then(() => fs.readFileSync(temp + '/g/e/f', 'utf8'))), filtered: () => (fs.cpSync(temp + '/d', temp + '/h', { recursive: true, filter: () => true }), fs.readFileSync(temp + '/h/e/f', 'utf8')), glob: () => fs.globSync('**/f', { cwd: temp }).sort(), opened: () => fs.opendirSync(temp).readSync().name.length, removed: () => (fs.rmSync(temp + '/d', { recursive: true }), !fs.existsSync(temp + '/d')),
      made: () => fs.mkdtempSync(temp + '/m').length - temp.length, madeP: () => P.mkdtemp(temp + '/m').then((made) => made.length - temp.length), buffer: () => fs.mkdtempSync(Buffer.from(temp + '/m')).length - temp.length, real: () => fs.realpathSync(temp + '/a') === temp + '/a', certificates: () => fs.readFileSync('/etc/ssl/certs/ca-certificates.crt', 'utf8').length > 1000, above: () => fs.statSync(require('path').dirname(temp)).isDirectory(),
    }`;
    const { value } = await answerOf(trying(TOOLS, uses));
    expect(value).toEqual({
      text: 'GOT xy',
      exists: 'GOT true',
      copy: 'GOT xy',
      copyP: 'GOT xy',
      folders: 'GOT z',
      filtered: 'GOT z',
      glob: 'GOT d/e/f,g/e/f,h/e/f',
      opened: 'GOT 1',
      removed: 'GOT true',
      made: 'GOT 8',
      madeP: 'GOT 8',
      buffer: 'GOT 8',
      real: 'GOT true',
      certificates: 'GOT true',
      above: 'GOT true',
    });
  });

  it('reads every name in JSON as it was sent, unlike earlier versions (nodejs/node#63785)', async () => {
    const names = ['\\', '"', '\n', '\t', '\b', '\f', '\u0001', 'a\\', 'a"', 'x\ny', '__proto__'];
    const args = names.flatMap((one) => names.map((other) => ({ h: [], [one]: 0, [other]: { [one]: 1 } })));
    const code =
      'module.exports = ({ args }) => [JSON.stringify(args), JSON.stringify(JSON.parse(JSON.stringify(args)))]';
    const text = JSON.stringify(args);
    expect((await reactorsOn('node24').answerAlone(code, args)).value).toEqual([text, text]);
  });
});
