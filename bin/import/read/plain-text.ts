import { UsageError } from '../../command-line/failures.ts';

const DECRYPT = 'decrypt it into the command: gpg --decrypt FILE | cloakroom import - ...';
/** Enough bytes to tell a format by. */
const HEAD_BYTES = 64;

const beginsWith =
  (...bytes: readonly number[]) =>
  (head: Buffer): boolean =>
    bytes.every((byte, at) => head[at] === byte);

const beginsWithText =
  (...texts: readonly string[]) =>
  (head: Buffer): boolean =>
    texts.some((text) => head.subarray(0, text.length).toString('latin1') === text);

/** PGP packets begin with a bit that no text in ASCII has: an encrypted key, or encrypted data. */
function isPgp(head: Buffer): boolean {
  const [first = 0, second = 0] = head;
  if ((first & 0x80) === 0) return false;
  const isNew = (first & 0x40) !== 0;
  const tag = isNew ? first & 0x3f : (first >> 2) & 0x0f;
  // A packet of session keys, symmetric data, or protected data; UTF-8 has another second byte.
  const isContinued = second >= 0x80 && second <= 0xbf;
  return [1, 3, 9, 18, 20].includes(tag) && !(isNew && isContinued) && first !== 0xef;
}

const FORMATS: readonly (readonly [matches: (head: Buffer) => boolean, problem: string])[] = [
  [beginsWith(0x1f, 0x8b), 'is compressed: send it by a pipe: gunzip -c FILE | cloakroom import - ...'],
  [beginsWithText('PK\u0003\u0004'), 'is a zip file or a spreadsheet: export it as CSV in UTF-8'],
  [beginsWith(0xd0, 0xcf, 0x11, 0xe0), 'is a spreadsheet: export it as CSV in UTF-8'],
  [beginsWithText('-----BEGIN PGP'), `is encrypted: ${DECRYPT}`],
  [
    beginsWithText('age-encryption.org/', '-----BEGIN AGE'),
    'is encrypted: decrypt it into the command: age --decrypt FILE | cloakroom import - ...',
  ],
  [beginsWith(0xff, 0xfe), 'is UTF-16: convert it: iconv -f UTF-16 -t UTF-8 FILE | cloakroom import - ...'],
  [beginsWith(0xfe, 0xff), 'is UTF-16: convert it: iconv -f UTF-16 -t UTF-8 FILE | cloakroom import - ...'],
  [isPgp, `is encrypted, or no text: ${DECRYPT}`],
  [
    (head) => head.includes(0),
    'is UTF-16 or no text: convert it: iconv -f UTF-16LE -t UTF-8 FILE | cloakroom import - ...',
  ],
];

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The bytes of a text in UTF-8, without a byte order mark. Rejects with {@link UsageError} for an
 * empty input, and for one that is no such text by its first bytes.
 */
export async function* plainText(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < HEAD_BYTES) continue;
    yield checked(name, head);
    head = undefined;
  }
  if (head !== undefined) yield checked(name, head);
}

function checked(name: string, head: Buffer): Buffer {
  if (head.length === 0) throw new UsageError(`${name} is empty; nothing was done`);
  const problem = FORMATS.find(([matches]) => matches(head.subarray(0, HEAD_BYTES)))?.[1];
  if (problem !== undefined) throw new UsageError(`${name} ${problem}; nothing was done`);
  return head.subarray(0, 3).equals(BYTE_ORDER_MARK) ? head.subarray(3) : head;
}
