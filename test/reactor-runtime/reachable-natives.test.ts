import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALLOWED } from '../../reactor-runtime/worker/built-ins.ts';
import { IMAGES, type Image } from '../../src/core/reactors/layer.ts';
import { startReactor, type ReactorProcess } from '../support/runtime-api.ts';
import { AMPLE_MS, reactorsOn } from './a-reactor.ts';
import { REMEMBER_NATIVES, WALK, WORDS_OF_NODE } from './walk-reachable.ts';

/** Natives that code may reach, each read in Node's sources: an unknown one fails the test. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'facts about this machine and process': [
    'credentials.getegid',
    'credentials.geteuid',
    'credentials.getgid',
    'credentials.getgroups',
    'credentials.getuid',
    'os.getAvailableParallelism',
    'os.getFreeMem',
    'os.getTotalMem',
    'process_methods.rss',
    'process_methods.uptime',
  ],
  'the end of this process': ['process_methods.reallyExit'],
  'computing in this process': ['crypto.getFipsCrypto', 'crypto.timingSafeEqual'],
  'classes that make nothing outside': [
    'fs.FSReqCallback',
    'messaging.DOMException',
    'messaging.JSTransferable',
  ],
  'methods for descriptors that this process has opened': [
    'close',
    'closeSync',
    'readStart',
    'readStop',
    'releaseFD',
    'shutdown',
    'useUserBuffer',
    'writeAsciiString',
    'writeBuffer',
    'writeLatin1String',
    'writeUcs2String',
    'writeUtf8String',
    'writev',
  ].map((name) => `fs.FileHandle.${name}`),
  'methods for folders that it has opened': ['fs_dir.DirHandle.close', 'fs_dir.DirHandle.read'],
  'methods for a socket that is connected, or only bound': [
    ...['bind', 'bind6', 'getpeername', 'getsockname', 'getTypeOfService', 'reset', 'setKeepAlive'],
    ...['setNoDelay', 'setTypeOfService'],
  ].map((name) => `tcp_wrap.TCP.${name}`),
  'methods for a socket of datagrams, which sends only to permitted addresses': [
    ...['bind', 'bind6', 'bufferSize', 'disconnect', 'dropMembership', 'dropSourceSpecificMembership'],
    ...['getpeername', 'getSendQueueCount', 'getSendQueueSize', 'getsockname', 'recvStart', 'recvStop'],
    ...['setMulticastInterface', 'setMulticastLoopback', 'setMulticastTTL', 'setTTL'],
  ].map((name) => `udp_wrap.UDP.${name}`),
  'ports, of which none sends': ['ref', 'start', 'unref'].map((name) => `messaging.MessagePort.${name}`),
  'the half with the class of threads, which is refused': ['worker', 'worker.getEnvMessagePort'],
};

/** Starts a reactor whose worker remembers the natives before the guards are there. */
async function withRemembered<T>(image: Image, use: (reactor: ReactorProcess) => Promise<T>): Promise<T> {
  const layer = reactorsOn(image).layer();
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-walk-'));
  for (const name of ['bin', 'bootstrap', 'packages']) symlinkSync(join(layer, name), join(folder, name));
  cpSync(join(layer, 'runtime'), join(folder, 'runtime'), { recursive: true });
  const worker = join(folder, 'runtime/worker.cjs');
  writeFileSync(worker, REMEMBER_NATIVES + readFileSync(worker, 'utf8'));
  const reactor = await startReactor(folder, WALK, { image, timeoutMs: AMPLE_MS });
  try {
    return await use(reactor);
  } finally {
    await reactor.close();
    rmSync(folder, { recursive: true });
  }
}

function wordsOf(image: Image): readonly string[] {
  const node = join(reactorsOn(image).layer(), 'bin/node');
  const args = ['--no-deprecation', '--no-warnings', '--eval', WORDS_OF_NODE];
  return JSON.parse(execFileSync(node, args, { env: {}, encoding: 'utf8', maxBuffer: 10_000_000 }));
}

it.each(IMAGES)(
  'code on %s reaches no native function but the known ones, whatever it uses',
  async (image) => {
    const known = new Set(Object.values(KNOWN).flat());
    await withRemembered(image, async (reactor) => {
      const { response } = await reactor.invoke({ modules: ALLOWED, words: wordsOf(image) });
      const { remembered, objects, found } = response.value;
      const unknown = Object.entries(found).filter(([name]) => !known.has(name));
      expect(unknown).toEqual([]);
      // It has walked, and the natives were there to be found.
      expect(remembered).toBeGreaterThan(300);
      expect(objects).toBeGreaterThan(5_000);
      expect(Object.keys(found)).toEqual(
        expect.arrayContaining(['tcp_wrap.TCP.bind', 'fs.FileHandle.close']),
      );
    });
  },
);
