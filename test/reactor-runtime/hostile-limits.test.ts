import { existsSync, readFileSync } from 'node:fs';
import { untilTrue } from '../../packages/test-kit/src/until.ts';
import { IMAGES } from '../../src/core/reactors/layer.ts';
import { reactorsOn } from './a-reactor.ts';

describe.each(IMAGES)('%s', (image) => {
  const { sharedReactor, withReactor } = reactorsOn(image);
  const { attacked, answerOf: responseOf } = sharedReactor();
  // Code fills it sooner.
  const { attacked: attackedSmall } = sharedReactor({ memoryMb: 128 });

  const clean = { outcome: 'returned', value: 'clean' };

  describe('code that exceeds its limits', () => {
    it.each([
      ['an endless loop', 'for (;;);'],
      ['endless microtasks', 'for (;;) await null;'],
      ['a promise that never settles', 'await new Promise(() => {})'],
      ['a catastrophic expression', '/^(a+)+$/.test("a".repeat(60) + "b")'],
      ['a wait without end', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
      ['a result whose JSON never ends', 'return { toJSON() { for (;;); } }'],
      ['an error whose message never ends', 'throw { get message() { for (;;); } }'],
      ['a thenable that never answers', 'return { then() {} }'],
    ])('%s ends at the deadline, and the next invocation works', async (_what, attack) => {
      const { result, next, started } = await attacked(attack, '"clean"', { timeout_ms: 150 });
      expect(result.response).toEqual({ outcome: 'timed_out' });
      expect(next).toEqual(clean);
      expect(started).toBe(1);
    });

    it('native code that cannot be interrupted ends with its process', async () => {
      const attack = 'require("crypto").pbkdf2Sync("a", "b", 1e9, 64, "sha512")';
      const { result, next, started } = await attacked(attack, '"clean"', { timeout_ms: 150 });
      expect(result.response).toEqual({ outcome: 'timed_out' });
      expect(next).toEqual(clean);
      expect(started).toBe(1);
    });

    it.each([
      ['the heap', 'const all = []; for (;;) all.push(new Array(1e6).fill({}))'],
      ['Buffers', 'const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))'],
      ['small Buffers', 'const all = []; for (;;) all.push(Buffer.alloc(1e4, 1))'],
    ])('filling memory with %s is ended, and the next invocation has its memory', async (_what, attack) => {
      const { result, next, started } = await attackedSmall(attack, '(Buffer.alloc(4e7, 1), "clean")');
      expect(result.response).toEqual({ outcome: 'out_of_memory' });
      expect(next).toEqual(clean);
      expect(started).toBe(1);
    });

    it('one string that does not fit ends only its own process', async () => {
      const attack = 'let s = "x"; const all = []; for (;;) { s += s; all.push(s); s.charCodeAt(1) }';
      const { result, next, started } = await attacked(attack);
      expect(result.response.outcome).toMatch(/out_of_memory|threw/);
      expect(next).toEqual(clean);
      expect(started).toBe(1);
    });

    it.each([
      ['process.exit', 'process.exit(7)'],
      ['process.reallyExit', 'process.reallyExit(7)'],
    ])('%s ends only its own process', async (_what, attack) => {
      const { result, next, started } = await attacked(attack);
      expect(result.response).toEqual({ outcome: 'exited' });
      expect(next).toEqual(clean);
      expect(started).toBe(1);
    });

    it.each([
      ['over 5 MB', 'return "x".repeat(5e6)', 'too_large'],
      ['over 5 MB in UTF-8 only', 'return "\\u20ac".repeat(2e6)', 'too_large'],
      ['of 50 MB', 'return Array(50).fill("x".repeat(1e6))', 'too_large'],
      ['with a cycle', 'const a = {}; a.a = a; return a', 'unserializable'],
      ['with a BigInt', 'return { n: 1n }', 'unserializable'],
      ['with a toJSON that throws', 'return { toJSON() { throw null } }', 'unserializable'],
      ['with a getter that throws', 'return { get a() { throw 1 } }', 'unserializable'],
      ['that is a function', 'return () => 1', 'unserializable'],
      [
        'that is a revoked proxy',
        'const p = Proxy.revocable({}, {}); p.revoke(); return [p.proxy]',
        'unserializable',
      ],
    ])('a result %s gets that error', async (_what, attack, outcome) => {
      const { result, next } = await attacked(attack);
      expect(result.response).toEqual({ outcome });
      expect(next).toEqual(clean);
    });

    it('endless output does not fill memory, and ends with its invocation', async () => {
      const code = `module.exports = async (req) => {
      const line = 'x'.repeat(1000);
      if (req.args.endless) for (;;) { console.log(line); process.stdout.write(line); process.stderr.write(line); }
      for (let n = 0; n < 1e3; n += 1) { console.log(line); console.error(line); process.stdout.write(line); }
      return process.memoryUsage().rss < 3e8;
    }`;
      await withReactor(code, async (reactor) => {
        expect((await reactor.invoke()).response).toEqual({ outcome: 'returned', value: true });
        const endless = await reactor.invoke({ endless: true }, { timeout_ms: 200 });
        expect(endless.response).toEqual({ outcome: 'timed_out' });
        expect((await reactor.invoke()).response).toEqual({ outcome: 'returned', value: true });
      });
    });

    it('an invocation creates ten thousand names at most, by any means', async () => {
      const code = `const fs = require('fs'); const t = require('os').tmpdir() + '/';
      const deep = (at) => fs.mkdirSync(t + 'deep' + at + '/b/c/d/e/f/g/h', { recursive: true });
      const ways = [(at) => fs.closeSync(fs.openSync(t + at, 'w')), (at) => fs.mkdirSync(t + at), (at) => fs.copyFileSync('/dev/null', t + at), () => fs.mkdtempSync(t)];
      const failure = (make) => { try { make('last') } catch (error) { return error.code } };
      module.exports = () => {
        for (let at = 0; at < 5; at += 1) deep(at);
        // The name counts each time, and the disk has one.
        let single = 0; for (; single < 9000; single += 1) ways[0]('same');
        try { for (; single < 30000; single += 1) ways[single % ways.length](single) } catch {}
        return { single, refused: [...ways, deep].map(failure) };
      };`;
      const { single, refused } = (await responseOf(code)).value;
      // All names of a path count, at least its eight.
      const countOfPath = (10_000 - single) / 5;
      expect(Number.isInteger(countOfPath) && countOfPath >= 8).toBe(true);
      expect(refused).toEqual(Array(5).fill('EACCES'));
    });

    // The list of the processes of a process is one of Linux.
    (process.platform === 'linux' ? it : it.skip)(
      'a loaded reactor that dies before its event is loaded again',
      async () => {
        await withReactor(`module.exports = () => 'clean'`, async (reactor) => {
          await untilTrue(() => reactor.asked() === 1);
          const runtime = String(reactor.pid());
          const worker = readFileSync(`/proc/${runtime}/task/${runtime}/children`, 'utf8').trim();
          // Linux does so for lack of memory. A worker that waits is stopped, so only this ends it.
          process.kill(Number(worker), 'SIGKILL');
          // The runtime has seen its end when the system forgets it.
          await untilTrue(() => !existsSync(`/proc/${worker}`));
          expect((await reactor.invoke()).response).toEqual(clean);
        });
      },
    );
  });
});
