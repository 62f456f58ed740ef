import { utf8Text } from './utf8.ts';

/**
 * A body that arrived as bytes or as text. The other form is made on demand, because converting 1
 * MB costs as much as scanning it.
 */
export interface Content {
  readonly isEmpty: boolean;
  readonly bytes: Buffer;
  /** The UTF-8 text of the bytes; `undefined` if they are not UTF-8. */
  readonly text: string | undefined;
  isLargerThan(maxBytes: number): boolean;
  includes(ascii: string): boolean;
}

/** Most bytes of a UTF-16 code unit in UTF-8. */
const UNIT_MAX_BYTES = 3;

class TextContent implements Content {
  readonly text: string;

  #bytes: Buffer | undefined;

  constructor(text: string) {
    // UTF-8 has no lone surrogates, and the bytes and the text must be the same.
    this.text = text.toWellFormed();
  }

  get isEmpty(): boolean {
    return this.text === '';
  }

  get bytes(): Buffer {
    return (this.#bytes ??= Buffer.from(this.text));
  }

  isLargerThan(maxBytes: number): boolean {
    const mayBe = this.text.length * UNIT_MAX_BYTES > maxBytes;
    return mayBe && Buffer.byteLength(this.text) > maxBytes;
  }

  includes(ascii: string): boolean {
    return this.text.includes(ascii);
  }
}

class BytesContent implements Content {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.bytes.length === 0;
  }

  get text(): string | undefined {
    return utf8Text(this.bytes);
  }

  isLargerThan(maxBytes: number): boolean {
    return this.bytes.length > maxBytes;
  }

  includes(ascii: string): boolean {
    return this.bytes.includes(ascii);
  }
}

/** Content that arrived as text; lone surrogates become U+FFFD, as in every conversion to UTF-8. */
export const contentOfText = (text: string): Content => new TextContent(text);

/** Content that arrived as bytes. */
export const contentOfBytes = (bytes: Buffer): Content => new BytesContent(bytes);
