import { utf8Text } from './utf8.ts';

/**
 * A body that came as bytes or as text. The other form is made when it is asked for: of a megabyte
 * either costs as much as all that is looked for in it.
 */
export interface Content {
  readonly isEmpty: boolean;
  readonly bytes: Buffer;
  /** The text that the bytes are in UTF-8; `undefined` if they are none. */
  readonly text: string | undefined;
  isLargerThan(maxBytes: number): boolean;
  /** Whether a text of ASCII stands in it. */
  includes(ascii: string): boolean;
}

/** Most bytes that UTF-8 makes of one UTF-16 code unit. */
const UNIT_MAX_BYTES = 3;

class TextContent implements Content {
  readonly text: string;

  #bytes: Buffer | undefined;

  constructor(text: string) {
    // As UTF-8 would have it: the bytes and the text must be the same.
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

/**
 * Content that came as text; half of a surrogate pair counts as U+FFFD, as it does where text
 * becomes UTF-8.
 */
export const contentOfText = (text: string): Content => new TextContent(text);

/** Content that came as bytes. */
export const contentOfBytes = (bytes: Buffer): Content => new BytesContent(bytes);
