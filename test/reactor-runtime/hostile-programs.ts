// Programs that try to reach other invocations, or to harm the loop. Their `req.args.port` may be
// the Runtime API's port, and `req.args.card` the invocation's own plant.

/** How a program is ended that does not end by itself. */
export type End = 'timeout' | 'exit' | 'memory' | 'crash';

export interface HostileProgram {
  readonly name: string;
  /** Names the thing that it last reached, and the one that it reached before a fix. */
  readonly reaches: string;
  /** The code is the body of `async (req, require) => { ... }`. */
  readonly code: string;
  readonly ends?: End;
}

/**
 * Functions for all programs: `look` finds plants, `attempt` returns the result of a call or the
 * reason of its failure, `asText` the same as a short text.
 */
const TOOLS = `const look = (x) => String(x).match(/4000[0-9]{12}|PLANT-[a-z0-9]+/g) || [];
const attempt = (f) => { try { return f(); } catch (e) { return e.code || e.message; } };
const asText = (f) => String(attempt(f)).slice(0, 80);
`;

const program = (name: string, reaches: string, code: string, ends?: End): HostileProgram => ({
  name,
  reaches,
  code: TOOLS + code,
  ...(ends === undefined ? {} : { ends }),
});

export const HOSTILE: readonly HostileProgram[] = [
  // These programs look for files of others.
  program(
    'reads the content of the temp folder',
    'an empty folder',
    `const fs = require('fs'), t = require('os').tmpdir(), all = (d) => fs.readdirSync(d, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? all(d + '/' + e.name) : [e.name, look(fs.readFileSync(d + '/' + e.name))]));
return all(t);`,
  ),
  program(
    'reads the neighbours of the temp folder',
    'refused: EACCES; the name of its own code',
    `const fs = require('fs'), t = require('os').tmpdir();
return ['..', '/../..', '/../task', '/../../'].map((p) => attempt(() => fs.readdirSync(t + '/' + p).filter((n) => look(n).length || n !== 'reactor.js')));`,
  ),
  program(
    'reads the memory of the loop',
    'refused: EACCES',
    `const fs = require('fs');
return ['mem', 'maps', 'environ', 'cmdline', 'stack', 'fd', 'root/etc/passwd', 'task'].map((f) => attempt(() => look(fs.readFileSync('/proc/' + process.ppid + '/' + f, 'latin1'))));`,
  ),
  program(
    'reads its own process by /proc in other spellings',
    'refused: EACCES',
    `const fs = require('fs'), t = require('os').tmpdir();
return ['//proc/self/environ', '/./proc/self/mem', t + '/../../../proc/self/environ', '/proc/thread-self/maps', '/dev/fd/0', '/dev/stdin', 'file:///proc/self/environ'].map((p) => attempt(() => look(fs.readFileSync(p))));`,
  ),
  program(
    'reads a Buffer path that changes while the thread pool opens it',
    'its own file: the path is copied',
    `const fs = require('fs'), t = require('os').tmpdir(), good = t + '/' + 'g'.repeat(30), bad = '/proc/self/environ', path = Buffer.from(new SharedArrayBuffer(good.length)), seen = {};
fs.writeFileSync(good, 'mine');
for (let i = 0; i < 100; i++) {
  path.write(good); const opened = fs.promises.readFile(path, 'latin1').then((x) => (x === 'mine' ? 'own' : 'OTHER ' + look(x)), (e) => e.code);
  path.fill('/'); path.write(bad, path.length - bad.length); seen[await opened] = true;
}
return Object.keys(seen);`,
  ),
  program(
    'reads a path whose toString and length lie',
    'refused: EACCES',
    `const fs = require('fs'), t = require('os').tmpdir(); class Lie extends Uint8Array { get length() { return 1; } toString() { return t; } get buffer() { return Buffer.from(t).buffer; } }
return [new Lie(Buffer.from('/proc/self/environ')), new String('/proc/self/environ'), new Proxy(Buffer.from('/etc/passwd'), {}), { href: 'file:///', protocol: 'file:', pathname: '/proc/self/environ' }].map((p) => attempt(() => look(fs.readFileSync(p))));`,
  ),
  program(
    'reads a URL that names another file at each reading',
    'its own file; refused: EACCES',
    `const fs = require('fs'), t = require('os').tmpdir(); let n = 0; fs.writeFileSync(t + '/a', 'mine');
const url = new Proxy(new URL('file://' + t + '/a'), { get: (o, k) => (k === 'pathname' && n++ > 0 ? '/proc/self/environ' : Reflect.get(o, k)) });
return [attempt(() => look(fs.readFileSync(url))), attempt(() => look(fs.readFileSync(new URL('file://' + t + '/%2e%2e/%2e%2e/%2e%2e/proc/self/environ'))))];`,
  ),
  program(
    'leaves the temp folder through links',
    'refused: EACCES',
    `const fs = require('fs'), t = require('os').tmpdir(); fs.mkdirSync(t + '/a/b/c', { recursive: true });
return [() => fs.symlinkSync('../../..', t + '/a/b/c/l'), () => fs.renameSync(t + '/a/b/c/l', t + '/l'), () => fs.readdirSync(t + '/l'), () => fs.linkSync('/etc/hosts', t + '/h'), () => fs.symlinkSync('/proc', t + '/p')].map(asText);`,
  ),
  program(
    'copies a folder of links into the temp folder',
    'an empty folder; refused: EACCES',
    `const fs = require('fs'), t = require('os').tmpdir();
return [() => fs.cpSync('/etc/ssl', t + '/s', { recursive: true, verbatimSymlinks: true }), () => fs.readdirSync(t + '/s/certs').length, () => fs.cpSync('/proc/self', t + '/p', { recursive: true })].map(asText);`,
  ),
  program(
    'watches other folders by the native classes',
    'refused: EACCES',
    `const fs = require('fs'), t = require('os').tmpdir(), w = fs.watch(t), s = fs.watchFile(t + '/x', () => {}), Event = w._handle.constructor, Stat = s._handle.constructor; fs.unwatchFile(t + '/x'); w.close(); let n = 0;
return ['/proc', '/tmp', { toString: () => (n++ ? '/tmp' : t) }, Buffer.from('/etc')].map((p) => [attempt(() => new Event().start(p, true, false, 'utf8')), attempt(() => new Stat(false).start(p, 9))]);`,
  ),
  program(
    'opens a folder by the class of an open one',
    'its own abort, which is reported as too much memory',
    `const fs = require('fs'), t = require('os').tmpdir(), dir = fs.opendirSync(t), handle = Object.getOwnPropertySymbols(dir).map((k) => dir[k]).find((v) => v && v.read);
return [() => new handle.constructor('/proc').read('utf8', 32), () => new fs.Dir(handle, '/proc', {}).readSync(), () => fs.opendirSync(new URL('file:///proc')), () => fs.opendirSync(Buffer.from('/proc'))].map(asText);`,
    'crash',
  ),
  program(
    'reads every descriptor it has',
    'no file among them',
    `const fs = require('fs'), found = {}; for (let fd = 2; fd < 64; fd++) { const s = attempt(() => fs.fstatSync(fd)); if (s.isFile && s.isFile()) found[fd] = attempt(() => look(fs.readFileSync(fd))); }
return found;`,
  ),
  program(
    'writes into every descriptor it has but 0 and 1',
    'its own output; once the pipe from which libuv reads the address of a function',
    `const fs = require('fs'), left = []; for (let fd = 2; fd < 64; fd++) left.push(attempt(() => fs.writeSync(fd, Buffer.alloc(16, 1))));
return left.filter((n) => n === 16).length;`,
  ),
  program(
    'marks files of the machine through a descriptor opened for reading',
    'refused: EACCES; once times and modes of files that it may only read',
    `const fs = require('fs'); return ['/etc/hosts', __filename, process.execPath].map((f) => attempt(() => { const fd = fs.openSync(f, 'r'), { atime, mtime, mode } = fs.fstatSync(fd); fs.futimesSync(fd, atime, mtime); fs.fchmodSync(fd, mode); return 'changed its times and mode'; }));`,
  ),
  program(
    'changes the null device',
    'refused: EACCES; once times and mode of /dev/null, as root',
    `const fs = require('fs'); return [() => fs.utimesSync('/dev/null', new Date(), new Date()), () => fs.chmodSync('/dev/null', 0o666), () => fs.renameSync('/dev/null', require('os').tmpdir() + '/n'), () => fs.mkdirSync('/dev/null')].map(asText);`,
  ),
  program(
    'replaces process.cwd and path.resolve',
    'refused: EACCES',
    `const fs = require('fs'), t = require('os').tmpdir(), path = require('path'); process.cwd = () => '/proc'; path.resolve = path.posix.resolve = () => t; path.join = () => '/proc/self/environ';
return ['self/environ', './self/environ', '..', '', Buffer.from('self/environ')].map((p) => attempt(() => look(fs.readFileSync(p))));`,
  ),
  program(
    'uses the readable files as a mailbox',
    '/dev/null alone',
    `const fs = require('fs'); return ['/etc/hosts', '/etc/resolv.conf', __filename, '/dev/null', '/etc/ssl/x', '/usr/share/zoneinfo/x'].flatMap((f) => ['w', 'a', 'r+', 'wx'].map((m) => attempt(() => fs.openSync(f, m)))).filter((x) => typeof x === 'number').length;`,
  ),
  // Left behind for the next
  program(
    'leaves a file in the temp folder',
    'its own folder, emptied before the next',
    `const fs = require('fs'), t = require('os').tmpdir(); fs.writeFileSync(t + '/left', 'PLANT' + '-left'); fs.mkdirSync(t + '/.hidden/deep', { recursive: true }); fs.writeFileSync(t + '/.hidden/deep/left', 'PLANT' + '-left');
return fs.readdirSync(t);`,
  ),
  program(
    'leaves names that are not text',
    'its own folder, emptied before the next',
    `const fs = require('fs'), t = Buffer.from(require('os').tmpdir() + '/'); const name = (...b) => Buffer.concat([t, Buffer.from(b)]); fs.mkdirSync(name(0xff, 0xfe)); fs.writeFileSync(name(0xc3, 0x28), 'PLANT' + '-left'); fs.writeFileSync(name(0x0a, 0x5c, 0x20, 0x2e), '');
return fs.readdirSync(t).length;`,
  ),
  program(
    'leaves folders deeper than any path',
    'its own folder, emptied before the next',
    `const fs = require('fs'), t = require('os').tmpdir(), part = '/' + 'd'.repeat(200); const chain = (top) => { let p = top; fs.mkdirSync(p); for (let i = 0; i < 16; i++) fs.mkdirSync((p += part)); return p; };
chain(t + '/a'); for (let i = 0; i < 8; i++) { const end = chain(t + '/b'); fs.renameSync(t + '/a', end + '/a'); fs.renameSync(t + '/b', t + '/a'); }
return fs.readdirSync(t);`,
  ),
  program(
    'leaves folders without any permission',
    'its own folder, emptied before the next; refused for the folder itself',
    `const fs = require('fs'), t = require('os').tmpdir(); fs.mkdirSync(t + '/a/b/c', { recursive: true }); fs.writeFileSync(t + '/a/b/c/f', 'PLANT' + '-left'); for (const p of ['/a/b/c/f', '/a/b/c', '/a/b', '/a']) fs.chmodSync(t + p, 0);
return [() => fs.chmodSync(t, 0), () => fs.rmdirSync(t), () => fs.renameSync(t, t + '2'), () => process.umask(0o777)].map(asText);`,
  ),
  program(
    'leaves many files',
    'its own folder, 10,000 names at most; once millions, which the next one waited for',
    `const fs = require('fs'), t = require('os').tmpdir(), end = Date.now() + 150; let n = 0; while (Date.now() < end) fs.closeSync(fs.openSync(t + '/' + n++, 'w'));
return n > 0;`,
  ),
  program(
    'leaves many names of one file',
    'refused: EACCES; once 1.9 million, on which the loop ran out of memory',
    `const fs = require('fs'), t = require('os').tmpdir(), end = Date.now() + 150; let n = 0; fs.writeFileSync(t + '/f', ''); while (Date.now() < end && n < 60000) fs.linkSync(t + '/f', t + '/' + n++);
return n > 0;`,
  ),
  program(
    'leaves a huge sparse file and an unlinked one',
    'its own folder, emptied before the next',
    `const fs = require('fs'), t = require('os').tmpdir(), fd = fs.openSync(t + '/sparse', 'w'), un = fs.openSync(t + '/un', 'w'); fs.unlinkSync(t + '/un'); fs.ftruncateSync(fd, 1e12); fs.writeSync(un, Buffer.alloc(1e7, 1));
return attempt(() => fs.ftruncateSync(fd, Number.MAX_SAFE_INTEGER));`,
  ),
  program(
    'leaves writes that the disk has not done yet',
    'its own threads; once the loop gave up after a second',
    `const fs = require('fs'), t = require('os').tmpdir(), bytes = Buffer.alloc(4e6, 1); for (let k = 0; k < 4; k++) { const fd = fs.openSync(t + '/w' + k, 'w'); fs.unlinkSync(t + '/w' + k); for (let i = 0; i < 4; i++) fs.writeSync(fd, bytes); fs.fsync(fd, () => {}); }
return 'four threads busy';`,
  ),
  program(
    'leaves folders on a full disk of names',
    'its own folder; once the loop could not empty a full disk',
    `const fs = require('fs'), t = require('os').tmpdir(); for (let i = 0; i < 40; i++) fs.mkdirSync(t + '/x' + 'n'.repeat(200) + i + '/d/e', { recursive: true }); for (let i = 0; i < 40; i++) fs.renameSync(t + '/x' + 'n'.repeat(200) + i + '/d', t + '/z' + String(i).padStart(20, '0'));
return fs.readdirSync(t).length;`,
  ),
  program(
    'leaves timers, immediates and microtasks',
    'its own process, which ended',
    `setInterval(() => look(globalThis), 1); (function again() { setImmediate(again); })(); setTimeout(() => { globalThis.left = 'PLANT' + '-left'; }, 1); queueMicrotask(() => {}); return 'timers';`,
  ),
  program(
    'leaves a microtask that never ends',
    'its own process, which ended',
    `(function again() { Promise.resolve().then(again); })(); return 'returned before';`,
  ),
  program(
    'leaves an exit handler that never ends',
    'its own process, which ended',
    `for (const e of ['exit', 'beforeExit', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGCHLD', 'uncaughtException']) attempt(() => process.on(e, () => { for (;;); })); return process.eventNames().length > 0;`,
  ),
  program(
    'leaves prototypes and globals',
    'its own process, which ended',
    `Object.prototype.card = 'PLANT' + '-left'; Array.prototype.toJSON = undefined; globalThis.left = 'PLANT' + '-left'; process.env.LEFT = 'PLANT' + '-left'; process.title = 'PLANT' + '-left'; require('events').left = 1; require.left = 1; return Object.keys(globalThis).filter((k) => k === 'left').length;`,
  ),
  program(
    'looks for leftovers of an earlier one',
    'nothing',
    `return [globalThis.left, process.env.LEFT, {}.card, require('events').left, require.left, look(process.title), look(JSON.stringify(process.env)), look(Object.getOwnPropertyNames(globalThis).map((k) => attempt(() => String(globalThis[k]))))];`,
  ),
  program(
    'leaves a server on every kind of address',
    'refused: EACCES',
    `const net = require('net'), t = require('os').tmpdir(), went = (where) => new Promise((done) => attempt(() => net.createServer((s) => s.end('PLANT' + '-left')).on('error', (e) => done(e.code)).listen(where, () => done('LISTENS'))) || 0);
return Promise.all([{ port: 0 }, { port: 0, host: '127.0.0.1' }, { port: 0, host: '::1' }, t + '/s', '\\0abstract'].map(went));`,
  ),
  program(
    'leaves threads of the pool at work',
    'its own threads, which ended',
    `const crypto = require('crypto'); for (let i = 0; i < 8; i++) crypto.pbkdf2('a', 'b', 1e8, 64, 'sha512', () => {}); crypto.generateKeyPair('rsa', { modulusLength: 8192 }, () => {}); return 'five jobs';`,
  ),
  program(
    'leaves a datagram port and listens for others',
    'nothing; once this machine, by multicast',
    `const dgram = require('dgram'), heard = []; const s = dgram.createSocket({ type: 'udp4', reuseAddr: true }).on('message', (m) => heard.push(look(m))).on('error', (e) => heard.push(e.code)); s.bind(45999, () => { attempt(() => s.addMembership('224.0.0.1', '127.0.0.1')); s.send('PLANT' + '-left', 45999, '224.0.0.1', () => {}); });
await new Promise((done) => setTimeout(done, 60)); return heard;`,
  ),
  // These programs attack memory.
  program(
    'looks through unfilled Buffers',
    'nothing',
    `const found = []; for (let i = 0; i < 200; i++) for (const n of [8, 100, 4096, 65536]) found.push(...look(Buffer.allocUnsafe(n).toString('latin1')), ...look(Buffer.allocUnsafeSlow(n).toString('latin1'))); return found.filter((x) => x !== req.args.card);`,
  ),
  program(
    'looks through the pool behind a small Buffer',
    'nothing',
    `return look(Buffer.from(Buffer.from('x').buffer).toString('latin1')).concat(look(Buffer.from(Buffer.allocUnsafe(1).buffer).toString('utf16le')));`,
  ),
  program(
    'looks through memory of WebAssembly and shared memory',
    'nothing',
    `const m = new WebAssembly.Memory({ initial: 16, maximum: 256 }); m.grow(16); return look(Buffer.from(m.buffer).toString('latin1')).concat(look(Buffer.from(new SharedArrayBuffer(1e6)).toString('latin1')), look(Buffer.from(new ArrayBuffer(1e6)).toString('latin1')));`,
  ),
  program(
    'looks through everything that async hooks show',
    'nothing',
    `const found = new Set(), hook = require('async_hooks').createHook({ init: (id, type, trigger, r) => { for (const k of Reflect.ownKeys(r)) look(attempt(() => String(r[k]))).forEach((x) => found.add(x)); } }).enable();
await new Promise((done) => require('fs').stat('.', done)); await null; hook.disable(); return [...found];`,
  ),
  program(
    'looks through the frames that called it',
    'nothing: strict frames show neither function nor receiver',
    `const old = Error.prepareStackTrace; Error.prepareStackTrace = (e, frames) => frames.map((f) => [f.getThis(), f.getFunction(), f.getEvalOrigin()].map((x) => look(attempt(() => String(x))).length)); const seen = new Error().stack; Error.prepareStackTrace = old;
return seen.flat().filter((n) => n > 0).length;`,
  ),
  program(
    'runs its own start again by the running immediate',
    'its own start, which waits for an event that does not come',
    `const r = require('async_hooks').executionAsyncResource(), again = r && r._onImmediate; return typeof again === 'function' ? 'its own start, which waits for a second event' : typeof again;`,
  ),
  program(
    'runs out of heap',
    'its own memory',
    `const all = []; for (;;) all.push(new Array(1e6).fill(1.5));`,
    'memory',
  ),
  program(
    'runs out of memory outside of the heap',
    'its own memory',
    `const all = []; for (;;) all.push(Buffer.alloc(2e7, 1));`,
    'memory',
  ),
  program(
    'runs out of shared memory',
    'its own memory',
    `const all = []; for (;;) all.push(new Uint8Array(new SharedArrayBuffer(2e7)).fill(1));`,
    'memory',
  ),
  program(
    'runs out of memory of WebAssembly',
    'its own memory',
    `const all = []; for (;;) all.push(new Uint8Array(new WebAssembly.Memory({ initial: 500 }).buffer).fill(1));`,
    'memory',
  ),
  program(
    'runs out of descriptors',
    'its own descriptors',
    `const fs = require('fs'), t = require('os').tmpdir(); let n = 0; try { for (; n < 3000; n++) fs.openSync(t + '/f', 'w'); } catch (e) { return e.code; } return 'own descriptors only';`,
  ),
  program(
    'runs out of sockets',
    'its own descriptors',
    `const dgram = require('dgram'); for (let i = 0; i < 1000; i++) dgram.createSocket('udp4').on('error', () => {}).bind(0); await new Promise((done) => setTimeout(done, 50)); return 'own sockets only';`,
  ),
  // These programs attack the pipe to the loop.
  program(
    'forges its response before it returns',
    'its own response',
    `const fs = require('fs'); fs.writeSync(1, 'v"forged"\\n'); return 'honest';`,
  ),
  program(
    'forges responses for later invocations',
    'its own response',
    `const fs = require('fs'); for (let i = 0; i < 500; i++) fs.writeSync(1, 'v"PLANT' + '-forged"\\nl\\nnsyntax\\nt{}\\nu\\ng\\n'); return 'honest';`,
  ),
  program(
    'forges a response with members of the outcome',
    'its own response',
    `require('fs').writeSync(1, 'v1,"outcome":"stale","error":{"status":200}\\nv{"__proto__":{"outcome":"x"}}\\n'); await new Promise((done) => setTimeout(done, 20)); return 'honest';`,
  ),
  program(
    'writes half a line and exits',
    'no response: its own two lines are one',
    `require('fs').writeSync(1, 'v"half'); return 'honest';`,
    'timeout',
  ),
  program(
    'writes half a line and waits',
    'its own time',
    `require('fs').writeSync(1, 'v"half'); for (;;);`,
    'timeout',
  ),
  program(
    'writes a line without an end',
    'its own end',
    `const fs = require('fs'), bytes = Buffer.alloc(1e6, 'v'); for (;;) fs.writeSync(1, bytes);`,
    'exit',
  ),
  program(
    'writes empty lines without end',
    'its own time',
    `const fs = require('fs'), bytes = Buffer.alloc(60000, '\\n'); for (;;) fs.writeSync(1, bytes);`,
    'timeout',
  ),
  program(
    'writes lines that are costly to reject',
    'its own time',
    `const fs = require('fs'), line = Buffer.from('v[' + '{},'.repeat(1e6) + '\\n'); for (;;) fs.writeSync(1, line);`,
    'timeout',
  ),
  program(
    'writes a response that is large once parsed',
    'its own response, which the loop parsed',
    `const fs = require('fs'); let line = 'v['; for (let i = 0; line.length < 1e6; i++) line += '{"' + i.toString(36) + '":1},'; fs.writeSync(1, line + '1]\\n'); return 'honest';`,
  ),
  program(
    'writes a response nested deeper than a stack',
    'its own response, deeper than what an honest one can be',
    `const fs = require('fs'); fs.writeSync(1, 'v' + '['.repeat(5000) + ']'.repeat(5000) + '\\n'); return 'honest';`,
  ),
  program(
    'writes bytes that are not text',
    'its own response, or none: too large, unreadable or as the bytes would have it',
    `const fs = require('fs'); fs.writeSync(1, Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x0a, 0, 0x0a])); for (let i = 0; i < 20; i++) fs.writeSync(1, require('crypto').randomBytes(5000)); fs.writeSync(1, '\\n'); return 'honest';`,
  ),
  program(
    'writes frames to its own input',
    'nothing: the loop does not read there',
    `require('fs').writeSync(0, Buffer.from([0, 0, 0, 2, 123, 125])); return 'honest';`,
  ),
  program('closes its output', 'its own end', `require('fs').closeSync(1); return 'unheard';`, 'exit'),
  program(
    'closes its input and its output and continues',
    'its own time',
    `const fs = require('fs'); fs.closeSync(0); fs.closeSync(1); for (;;);`,
    'timeout',
  ),
  program(
    'closes all descriptors between',
    'its own event loop',
    `const fs = require('fs'); for (let fd = 2; fd < 32; fd++) attempt(() => fs.closeSync(fd)); return 'honest';`,
  ),
  program(
    'takes the pipes as sockets, terminals and streams',
    'refused: EACCES',
    `const fs = require('fs'), net = require('net'), tty = require('tty'); return [() => new net.Socket({ fd: 0 }), () => new net.Socket({ fd: 1 }), () => new tty.ReadStream(0), () => new tty.WriteStream(1), () => net.createServer().on('error', () => {}).listen({ fd: 0 }).listening].map(asText);`,
  ),
  program(
    'replaces its input with a file',
    'its own input, which is not read again',
    `const fs = require('fs'), t = require('os').tmpdir(); fs.writeFileSync(t + '/frames', Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from('{}')])); fs.closeSync(0); return fs.openSync(t + '/frames', 'r') === 0 ? 'its own input, which is not read again' : 'another number';`,
  ),
  program(
    'returns a value that changes while it becomes JSON',
    'its own response',
    `let n = 0; return { get a() { return n++; }, toJSON() { process.nextTick(() => {}); return { a: this.a, b: look(Object.keys(globalThis)) }; } };`,
  ),
  program(
    'returns a thenable that settles twice',
    'its own response, the first',
    `return { then(done, failed) { done({ raw: 1 }); done({ raw: 2 }); failed(new Error('x')); throw new Error('y'); } };`,
  ),
  program(
    'makes every object a thenable',
    'its own time',
    `Object.prototype.then = function () {}; return {};`,
    'timeout',
  ),
  program('returns too much', 'its own response: too large', `return 'x'.repeat(6e6);`),
  program(
    'throws an unreadable value',
    'its own error, empty',
    `throw new Proxy({}, { get(o, k) { throw new Error(String(k)); }, getPrototypeOf() { throw 1; }, ownKeys() { throw 2; } });`,
  ),
  program(
    'throws an error without bounds',
    'its own error, bounded',
    `const e = new Error('x'.repeat(1e6)); e.name = 'y'.repeat(1e6); e.status = 2 ** 53; e.errors = { ['k'.repeat(1e5)]: Array(1000).fill('z'.repeat(10000)) }; throw e;`,
  ),
  program('goes', 'its own end', `process.exit(0);`, 'exit'),
  program('goes by the native exit', 'its own end', `process.reallyExit(7);`, 'exit'),
  program(
    'dies of an error in a timer',
    'its own error',
    `setTimeout(() => { throw new Error('late'); }, 0); await new Promise((done) => setTimeout(done, 50)); return 'honest';`,
  ),
  // These programs attack other processes.
  program(
    'signals the loop',
    'refused: EACCES',
    `return [() => process.kill(process.ppid, 'SIGSTOP'), () => process._kill(process.ppid, 9), () => process.kill(0, 0), () => process.kill(-1, 0), () => process._debugProcess(process.ppid), () => process.abort()].map(asText);`,
  ),
  program(
    'signals its group by a process that was never started',
    'refused: EACCES; once every process of its group, the loop too',
    `const found = attempt(() => { let cluster; Object.defineProperty(Object.prototype, 'isWorker', { configurable: true, set(v) { cluster = this; Object.defineProperty(this, 'isWorker', { value: v, writable: true, configurable: true }); } }); process.on('uncaughtException', () => {}); require('dgram').createSocket('udp4').on('error', () => {}).bind(0); require('net').createServer().on('error', () => {}).listen(0); delete Object.prototype.isWorker; return cluster || 'no cluster'; });
if (!found.fork) return String(found); found.setupPrimary({ exec: __filename }); const w = found.fork(); w.on('error', () => {}); w.process.on('error', () => {}); const { constructor: Process } = w.process._handle; return new Process().kill(0);`,
  ),
  program(
    'slows the loop',
    'refused: EACCES',
    `const os = require('os'); return [() => os.setPriority(process.ppid, 19), () => os.setPriority(0, 19), () => os.setPriority(1)].map(asText).concat(os.getPriority(process.ppid));`,
  ),
  program(
    'slows the loop by the module that was made of os',
    "nothing; once the loop's priority, for good",
    `let made; Object.defineProperty(Object.prototype, 'url', { configurable: true, set(v) { made = made || this; Object.defineProperty(this, 'url', { value: v, writable: true, configurable: true }); } }); const os = require('os'); delete Object.prototype.url;
return [attempt(() => made.getNamespace().setPriority(process.ppid, 1)), os.getPriority(process.ppid)];`,
  ),
  program(
    'requires modules that start processes and threads',
    'refused: not found',
    `return ['child_process', 'node:child_process', 'cluster', 'worker_threads', 'vm', 'v8', 'inspector', 'module', 'repl', 'wasi', 'trace_events', 'domain', 'internal/child_process', 'node:internal/process/per_thread', '__proto__', 'constructor', '../runtime/worker.cjs'].map((s) => typeof attempt(() => require(s))).filter((x) => x !== 'string').length;`,
  ),
  program(
    'imports a forbidden module',
    'refused: no callback for import()',
    `return Promise.all([() => import('child_process'), () => eval("import('fs')"), () => new Function("return import('module')")(), () => Object.getPrototypeOf(async () => {}).constructor("return import('vm')")()].map((f) => f().then(Object.keys, (e) => e.message)));`,
  ),
  program(
    'asks for native bindings',
    'refused: EACCES',
    `return ['binding', '_linkedBinding', 'dlopen', 'internalBinding', 'getBuiltinModule'].flatMap((f) => ['spawn_sync', 'fs', 'process_wrap', 'natives'].map((b) => attempt(() => Object.keys(process[f](b)).length))).filter((x) => typeof x === 'number').length;`,
  ),
  program(
    'loads an engine of OpenSSL from the temp folder',
    'refused: EACCES',
    `const fs = require('fs'), t = require('os').tmpdir(), tls = require('tls'), crypto = require('crypto'); fs.writeFileSync(t + '/e.so', '\\x7fELF'); const { context } = tls.createSecureContext();
return [() => crypto.setEngine(t + '/e.so'), () => tls.createSecureContext({ clientCertEngine: t + '/e.so' }), () => context.setEngineKey('x', t + '/e.so'), () => new context.constructor().setClientCertEngine(t + '/e.so'), () => crypto.setFips(true)].map(asText);`,
  ),
  program(
    'starts a worker of cluster by its environment',
    'its own copy of the message',
    `process.env.NODE_UNIQUE_ID = '1'; process.connected = true; let asked; process.send = (m) => { asked = m.act; return true; }; require('dgram').createSocket('udp4').on('error', () => {}).bind(0); await new Promise((done) => setTimeout(done, 20)); return asked;`,
  ),
  program(
    'ends the loop through its parsed response',
    'its own response; once the loop, which ran out of heap',
    `const fs = require('fs'), n = 714000, line = Buffer.from('v' + '{"34":'.repeat(n) + '0' + '}'.repeat(n) + '\\n'); for (let at = 0; at < line.length;) at += fs.writeSync(1, line, at); for (;;);`,
    'timeout',
  ),
  program(
    'reads files by the resolver of the C library',
    'nothing; once every line of any file',
    `const fs = require('fs'), t = require('os').tmpdir(), dns = require('dns'); fs.closeSync(2); fs.openSync(t + '/err', 'w'); process.env.RESOLV_HOST_CONF = '/proc/self/status';
await new Promise((d) => dns.lookup('nosuch.invalid', d)); return fs.readFileSync(t + '/err', 'utf8').length ? 'READ' : 'nothing';`,
  ),
  program(
    'connects to its own interface by a spelling that libuv cuts',
    'refused: EACCES; once what listens on all interfaces',
    `const own = Object.values(require('os').networkInterfaces()).flat().find((i) => !i.internal && i.family === 'IPv4'), parts = ['0000', '0000', '0000', '0000', '0000', 'ffff']; if (!own) return 'no interface';
let over = own.address.length - 9; for (let i = 0; i < 5 && over > 0; i++) { const cut = Math.min(3, over); parts[i] = parts[i].slice(cut); over -= cut; }
return new Promise((d) => require('net').connect({ host: parts.join(':') + ':' + own.address + '5%0', port: req.args.port || 80, family: 6 }).on('connect', () => d('CONNECTED')).on('error', (e) => d(e.code)));`,
  ),
  program(
    'sends a message by the port of a stream',
    'refused: EACCES; once internalBinding',
    `const { ReadableStream } = require('stream/web'), net = require('net'), seen = []; const symbolOf = (o, n) => Reflect.ownKeys(o).find((k) => String(k).includes(n));
Object.defineProperty(Object.prototype, 'zzz', { configurable: true, get() { seen.push(Object.keys(this).join()); } });
const rs = new ReadableStream(), [port] = rs[symbolOf(ReadableStream.prototype, 'transfer_list')](), list = new net.BlockList(); list[symbolOf(net.BlockList.prototype, 'clone')] = () => ({ data: {}, deserializeInfo: 'internal/bootstrap/loaders:zzz' });
const posted = asText(() => port.postMessage(list)), raw = asText(() => Object.getPrototypeOf(port).postMessage.call(port, list)); port.onmessage = () => {}; await new Promise((r) => setTimeout(r, 50));
return [typeof port, posted, raw, seen];`,
  ),
  program(
    "takes Node's internals from the deserializer of messages",
    'there is no channel; once internalBinding, all of Node beneath the guards',
    `const clone = Reflect.ownKeys(require('net').BlockList.prototype).find((k) => String(k).includes('clone')), list = new (require('net').BlockList)(), channel = new MessageChannel(); let taken; list[clone] = () => ({ data: {}, deserializeInfo: 'internal/bootstrap/loaders:zz' });
Object.defineProperty(Object.prototype, 'zz', { configurable: true, get() { taken = this; } }); await new Promise((done) => { channel.port2.onmessage = channel.port2.onmessageerror = done; channel.port1.postMessage(list); setTimeout(done, 50); }); channel.port1.close(); delete Object.prototype.zz;
return taken ? Object.keys(taken) : 'nothing';`,
  ),
  program(
    'starts a thread without guards and reads the loop by it',
    'there is no channel; once /proc of the loop, its Runtime API and other programs',
    `const clone = Reflect.ownKeys(require('net').BlockList.prototype).find((k) => String(k).includes('clone')), list = new (require('net').BlockList)(), channel = new MessageChannel(); let taken; list[clone] = () => ({ data: {}, deserializeInfo: 'worker_threads:zz' });
Object.defineProperty(Object.prototype, 'zz', { configurable: true, get() { taken = this; } }); await new Promise((done) => { channel.port2.onmessage = channel.port2.onmessageerror = done; channel.port1.postMessage(list); setTimeout(done, 50); }); channel.port1.close(); delete Object.prototype.zz;
if (!taken) return 'nothing'; const w = new taken.Worker("require('worker_threads').parentPort.postMessage(require('fs').readFileSync('/proc/' + process.ppid + '/cmdline', 'latin1'))", { eval: true }); return new Promise((done) => w.on('message', (m) => done('THE LOOP ' + m.length)).on('error', (e) => done(e.message)));`,
  ),
  program(
    'takes a message channel from a stream',
    'a MessagePort, as the global MessageChannel gives',
    `const { ReadableStream } = require('stream/web'), s = new ReadableStream(), k = Reflect.ownKeys(ReadableStream.prototype).find((x) => String(x).includes('transfer_list')); return asText(() => s[k]()[0].constructor.name);`,
  ),
  program(
    "loads changed bytecode by a module's class",
    'nothing; once bytecode that V8 does not verify',
    `let made; Object.defineProperty(Object.prototype, 'url', { configurable: true, set(v) { made = this; Object.defineProperty(this, 'url', { value: v, writable: true, configurable: true }); } }); require('punycode'); require('querystring'); require('tty'); delete Object.prototype.url; if (!made) return 'no class';
const Module = made.constructor, text = 'globalThis.r=0x1234567;', c = Buffer.from(new Module('x:a', undefined, text, 0, 0).createCachedData()), at = c.indexOf(Buffer.from([0x67, 0x45, 0x23, 1])); c.writeInt32LE(0x7654321, at); let [a, b] = [0, 0]; for (const x of c.subarray(24)) { a = (a + x) % 65521; b = (b + a) % 65521; } c.writeUInt32LE(((b << 16) | a) >>> 0, 20);
const m = new Module('x:b', undefined, text, 0, 0, c); m.instantiate(); await m.evaluate(-1, false); return globalThis.r === 0x7654321 ? 'BYTECODE OF ITS OWN' : 'its own text';`,
  ),
  program(
    'gives a package compiled code instead of its text',
    'nothing; once compiled code of a package, which it could put in its place',
    `let made; for (const [k, v] of [['produceCachedData', true], ['cachedData', undefined]]) Object.defineProperty(Object.prototype, k, { configurable: true, get: () => v, set(x) { made = x; } }); attempt(() => require('csv-parse')); delete Object.prototype.cachedData; delete Object.prototype.produceCachedData; return made ? 'COMPILED CODE ' + (made.length > 0) : 'nothing';`,
  ),
  program(
    'lends its own objects to what packages compile with',
    'its own packages',
    `for (const k of ['contextExtensions', 'parsingContext', 'importModuleDynamically']) Object.defineProperty(Object.prototype, k, { configurable: true, get: () => (k === 'contextExtensions' ? [{ require: () => 'hijacked' }] : undefined) }); const got = attempt(() => typeof require('ajv')); for (const k of ['contextExtensions', 'parsingContext', 'importModuleDynamically']) delete Object.prototype[k]; return got;`,
  ),
  // These programs use the network.
  program(
    "connects to the loop's Runtime API",
    'refused: EACCES',
    `const net = require('net'), to = (o) => new Promise((done) => attempt(() => net.connect(o).on('error', (e) => done(e.code)).on('connect', () => done('CONNECTED')))); const hosts = ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::', '127.1', '2130706433', '0x7f.1', '017700000001', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:1', '::1%lo', '::127.0.0.1', require('os').hostname()];
return [...new Set(await Promise.race([Promise.all(hosts.flatMap((host) => [9001, req.args.port || 80].map((port) => to({ host, port })))), new Promise((done) => setTimeout(() => done(['slow']), 200))]))];`,
  ),
  program(
    'asks the Runtime API for the next event',
    'refused: EACCES',
    `const http = require('http'), ask = (o) => new Promise((done) => attempt(() => http.get({ path: '/2018-06-01/runtime/invocation/next', port: req.args.port || 9001, ...o }, (r) => done('ANSWERED')).on('error', (e) => done(e.code)))); const lookup = (h, o, cb) => cb(null, '127.0.0.1', 4);
return Promise.all([{ host: '127.0.0.1' }, { host: 'a.example', lookup }, { socketPath: '/tmp/s' }, { host: '127.0.0.1', createConnection: (o) => require('net').connect(o).on('error', () => {}) }, { host: '127.0.0.1', localAddress: '127.0.0.1' }].map(ask));`,
  ),
  program(
    'names another address at the second reading',
    'refused: EACCES',
    `let n = 0; const net = require('net'), flip = { toString: () => (n++ ? '127.0.0.1' : '192.0.2.1') }, to = (o) => new Promise((done) => attempt(() => net.connect(o).on('error', (e) => done(e.code || e.message)).on('connect', () => done('CONNECTED'))) || setTimeout(done, 100, 'no'));
process.on('uncaughtException', () => {}); return Promise.race([Promise.all([to({ host: 'a.example', port: 80, lookup: (h, o, cb) => cb(null, flip, 4) }), to({ host: 'a.example', port: 80, lookup: (h, o, cb) => cb(null, '::ffff:7f00:1', 6) })]), new Promise((done) => setTimeout(done, 150, 'nothing'))]);`,
  ),
  program(
    'connects by the class of a live handle',
    'refused: EACCES',
    `const net = require('net'), s = new net.Socket().on('error', () => {}); s.connect(80, '127.0.0.1'); const TCP = s._handle && s._handle.constructor; if (!TCP) return 'no handle'; s.destroy();
return [() => new TCP(0).connect({}, '127.0.0.1', 9001), () => new TCP(0).connect6({}, '::1', 9001), () => new TCP(0).open(0), () => new TCP(0).open(1), () => new TCP(1).listen(1), () => TCP.prototype.connect.call(new TCP(0), {}, new String('127.0.0.1'), 9001)].map(asText);`,
  ),
  program(
    'takes the guards off the prototypes',
    'nothing beneath the guards',
    `const net = require('net'), s = new net.Socket().on('error', () => {}); s.connect(80, '127.0.0.1'); const TCP = s._handle && s._handle.constructor; if (!TCP) return 'no handle'; s.destroy(); for (const k of ['connect', 'connect6', 'open', 'listen']) delete TCP.prototype[k]; const up = Object.getPrototypeOf(TCP.prototype);
return ['connect', 'open', 'listen'].map((k) => typeof TCP.prototype[k] + typeof up[k]);`,
  ),
  program(
    'replaces functions that the guards could call',
    'refused: EACCES',
    `for (const [o, k] of [[String.prototype, 'startsWith'], [String.prototype, 'slice'], [String.prototype, 'includes'], [Array.prototype, 'includes'], [Array.prototype, 'some'], [Reflect, 'apply'], [Set.prototype, 'has'], [RegExp.prototype, 'test']]) o[k] = () => true;
const fs = require('fs'), net = require('net'); let r; try { r = fs.readFileSync('/proc/self/environ', 'latin1').length; } catch (e) { r = e.code; } return new Promise((done) => net.connect(9001, '127.0.0.1').on('error', (e) => done([r, e.code])).on('connect', () => done('CONNECTED')));`,
  ),
  program(
    'replaces functions that the guards could call with ones that throw',
    'its own error',
    `for (const o of [String.prototype, Array.prototype, Map.prototype, Set.prototype]) for (const k of Object.getOwnPropertyNames(o)) if (k !== 'constructor' && k !== 'length' && typeof o[k] === 'function') o[k] = () => { throw new Error(k); };
let r; try { r = require('fs').readFileSync('/proc/self/environ').length; } catch (e) { r = e.code || e.message; } return r;`,
  ),
  program(
    'reads through getters and setters of Object.prototype',
    'refused: EACCES',
    `const fs = require('fs'); for (const [k, v] of [['flag', 'r'], ['encoding', 'latin1'], ['fd', 0], ['path', '/proc/self/environ'], ['0', '/proc/self/environ'], ['handle', {}]]) Object.defineProperty(Object.prototype, k, { configurable: true, get: () => v, set() {} });
let r; try { r = fs.readFileSync('/proc/self/environ').length; } catch (e) { r = 'refused'; } for (const k of ['flag', 'encoding', 'fd', 'path', '0', 'handle']) delete Object.prototype[k]; return r;`,
  ),
  program(
    'sends datagrams to this machine',
    'refused: EACCES',
    `const dgram = require('dgram'), send = (type, to) => new Promise((done) => { const s = dgram.createSocket(type).on('error', (e) => done(e.code)); attempt(() => s.send('PLANT' + '-datagram', req.args.port || 9001, to, (e) => done(e ? e.code : 'SENT ' + to))); });
return Promise.race([Promise.all([...['127.0.0.1', '0.0.0.0', '127.1', '255.255.255.255', '169.254.169.254'].map((a) => send('udp4', a)), ...['::1', '::', '::ffff:127.0.0.1', 'fe80::1%lo'].map((a) => send('udp6', a))]), new Promise((done) => setTimeout(done, 200, 'slow'))]);`,
  ),
  program(
    'sends datagrams to all of this machine',
    'refused: EACCES; once every listener of this machine, by 224.0.0.1',
    `const dgram = require('dgram'), send = (type, to) => new Promise((done) => { const s = dgram.createSocket(type).on('error', (e) => done(e.code)); attempt(() => s.send('PLANT' + '-datagram', 45999, to, (e) => done(e ? e.code : 'SENT ' + to))); });
return Promise.race([Promise.all([send('udp4', '224.0.0.1'), send('udp6', 'ff02::1%lo'), send('udp6', 'ff01::1%lo')]), new Promise((done) => setTimeout(done, 200, 'slow'))]);`,
  ),
  program(
    'sends datagrams by the class of a live socket',
    'refused: EACCES',
    `const s = require('dgram').createSocket('udp4'), { handle } = Object.getOwnPropertySymbols(s).map((k) => s[k]).find((x) => x && x.handle), UDP = handle.constructor; return [() => new UDP().open(0), () => new UDP().connect('127.0.0.1', 9001), () => new UDP().connect6('::1', 9001), () => new UDP().send({}, [Buffer.from('x')], 1, 9001, '127.0.0.1', false)].map(asText);`,
  ),
  program(
    'asks this machine for names',
    'refused: EACCES; servers that change are copied',
    `const dns = require('dns'), r = new dns.Resolver(); let n = 0; const lie = [4]; Object.defineProperty(lie, 1, { get: () => (n++ ? '127.0.0.1' : '192.0.2.1') }); lie[2] = 53;
return [() => dns.setServers(['127.0.0.1:9001']), () => r.setServers(['[::1]:9001']), () => r._handle.setServers([[4, '127.0.0.1', 9001]]), () => r._handle.setServers([lie]), () => look(JSON.stringify(r.getServers())), () => r.setLocalAddress('127.0.0.1')].map(asText);`,
  ),
  program(
    'serves files of others over http2 to itself',
    'nothing',
    `const http2 = require('http2'), { Duplex } = require('stream'), pair = () => { let other; const mk = () => new Duplex({ read() {}, write(c, e, cb) { (this === a ? b : a).push(c); cb(); } }); const a = mk(), b = mk(); return [a, b]; }, [x, y] = pair(), server = http2.createServer(); process.on('uncaughtException', () => {});
server.on('stream', (s) => attempt(() => s.respondWithFile('/proc/self/environ', {}, { onError: (e) => s.respond({ ':status': 404 }, { endStream: true }) }))); server.emit('connection', x); const c = http2.connect('http://a', { createConnection: () => y }), q = c.request({ ':path': '/' });
return new Promise((done) => { let d = ''; q.on('data', (z) => (d += z)).on('end', () => done(look(d))).on('error', (e) => done(e.code)); setTimeout(done, 100, 'nothing'); });`,
  ),
  program(
    'lets a package connect to this machine',
    'refused: EACCES',
    `const axios = require('axios'); return Promise.all(['http://127.0.0.1:9001/', 'http://localhost:9001/', 'http://[::1]:9001/', 'http://0x7f000001:9001/', 'http://169.254.169.254/latest/meta-data/'].map((u) => axios.get(u, { timeout: 150, proxy: false }).then((r) => 'ANSWERED ' + look(r.data), (e) => e.code)));`,
  ),
  program(
    'connects to ports of this machine that others listen on',
    'refused: EACCES',
    `const net = require('net'), to = (port) => new Promise((done) => net.connect(port, '127.0.0.1').on('error', (e) => done(e.code)).on('connect', () => done('CONNECTED'))); return Promise.all([80, 443, 9001, 65535].map(to));`,
  ),
  // Time
  program('loops', 'its own time', `for (;;);`, 'timeout'),
  program('loops in native code', 'its own time', `return /^(a+)+$/.test('a'.repeat(60) + 'b');`, 'timeout'),
  program(
    'loops in WebAssembly',
    'its own time',
    `const b = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11]); return new WebAssembly.Instance(new WebAssembly.Module(b)).exports.f();`,
    'timeout',
  ),
  program(
    'waits for ever',
    'its own time',
    `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    'timeout',
  ),
  program(
    'waits on its input',
    'its own time',
    `return require('fs').readSync(0, Buffer.alloc(1));`,
    'timeout',
  ),
  program(
    'never settles',
    'its own time',
    `process.on('exit', () => { for (;;); }); return new Promise(() => {});`,
    'timeout',
  ),
  program(
    'computes a hash without end',
    'its own time',
    `return require('crypto').pbkdf2Sync('a', 'b', 2 ** 31 - 1, 64, 'sha512').length;`,
    'timeout',
  ),
  program(
    'exits, and does not exit',
    'its own time',
    `process.on('exit', () => { for (;;); }); process.exit(0);`,
    'timeout',
  ),
  program(
    'overflows the stack',
    'its own error',
    `const f = () => f(); try { f(); } catch (e) { return e.name; }`,
  ),
  program(
    'floods the queue of ticks',
    'its own time',
    `(function again() { process.nextTick(again); })(); await new Promise((done) => setTimeout(done, 1)); return 'unheard';`,
    'timeout',
  ),
];
