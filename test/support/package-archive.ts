import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

const BLOCK = 512;
const LINK = '2';

/** Makes the header of a file or of a link in an archive (POSIX.1-1988, ustar). */
function header(name: string, size: number, link: string | undefined): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write('0000644', 100);
  block.write('0000000', 108);
  block.write('0000000', 116);
  block.write(size.toString(8).padStart(11, '0'), 124);
  block.write('00000000000', 136);
  block.write(' '.repeat(8), 148);
  block.write(link === undefined ? '0' : LINK, 156);
  block.write(link ?? '', 157);
  block.write('ustar', 257);
  block.write('00', 263);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\x00 `, 148);
  return block;
}

/** Each is the text of a file, or where a link leads. */
export type ArchivedFiles = Readonly<Record<string, string | { readonly link: string }>>;

/** Makes the archive of a package, as a registry has it. */
export function packageArchive(files: ArchivedFiles): Buffer {
  const parts = Object.entries(files).flatMap(([name, file]) => {
    if (typeof file !== 'string') return [header(`package/${name}`, 0, file.link)];
    const content = Buffer.from(file);
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [header(`package/${name}`, content.length, undefined), content, padding];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]));
}

export const integrityOf = (archive: Buffer | string): string =>
  `sha512-${createHash('sha512').update(archive).digest('base64')}`;
