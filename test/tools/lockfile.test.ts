import { readFileSync } from 'node:fs';

interface Entry {
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly engines?: unknown;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Record<string, Entry>;
};
/** The packages that npm fetches: not the workspaces, which are part of this repository. */
const entries = Object.entries(packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
);

/** npm would install the package on a Linux that has the C library of Debian and Amazon Linux. */
const isForLinux = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Entry): boolean =>
  os.includes('linux') && ['x64', 'arm64'].some((name) => cpu.includes(name)) && libc.includes('glibc');

it('every package installed on Linux is pinned by a hash or bundled within a pinned one', () => {
  const unpinned = entries.filter(
    ([, entry]) => entry.integrity === undefined && entry.inBundle !== true && isForLinux(entry),
  );
  expect(unpinned.map(([path]) => path)).toEqual([]);
  const optional = entries.filter(
    ([, { integrity, inBundle }]) => integrity === undefined && inBundle !== true,
  );
  expect(optional.filter(([, entry]) => entry.optional !== true)).toEqual([]);
});

it('Node.js 24 is among them, and runs this', () => {
  const { version } = packages[`node_modules/node-linux-${process.arch}`] as { readonly version?: string };
  expect(process.version).toBe(`v${String(version)}`);
});

it('every package with an install script is explicitly allowed or denied', () => {
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const scripted = entries.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = scripted.map(([path]) =>
    path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  );
  expect([...new Set(names)].sort()).toEqual(Object.keys(allowScripts).sort());
});

it('no package says which Node.js it needs, since npm warns of each on another one', () => {
  expect(entries.filter(([, { engines }]) => engines !== undefined).map(([path]) => path)).toEqual([]);
});
