/**
 * Receives the parts of a JSON text during a walk. Positions are in UTF-16 code units; those of a
 * string include its quotes.
 */
export interface JsonVisitor {
  /** Called at the start of an object or array, with the position of its bracket. */
  open(isObject: boolean, start: number): void;
  /** Called for the name of the member whose value comes next. */
  name(start: number, end: number, isEscaped: boolean): void;
  /** Called for a string, number, `true`, `false` or `null`. */
  scalar(start: number, end: number, isEscaped: boolean): void;
  /** Called at the end of the innermost object or array, with the position after its bracket. */
  close(end: number): void;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const LETTER_U = 0x75;
/**
 * White space that may separate the tokens of JSON, in addition to spaces (RFC 8259, section 2).
 */
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const HEX = /[0-9a-f]{4}/iy;
/** The end of a plain run in a string: a quote, a backslash, or a control character. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const SPECIAL = /["\\\u0000-\u001f]/g;
/** The length from which a regular expression is faster than a loop. */
const PLAIN_RUN = 32;
const LITERALS = ['true', 'false', 'null'];

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;
const isExponent = (code: number): boolean => (code | 0x20) === 0x65;

/**
 * Reports a text that is not JSON, at a position in UTF-16 code units. The message does not quote
 * it.
 */
export class JsonSyntaxError extends SyntaxError {
  readonly at: number;

  constructor(at: number) {
    super('The text is not JSON.');
    this.at = at;
  }
}

class JsonWalk {
  readonly #text: string;

  readonly #visitor: JsonVisitor;

  #at = 0;

  constructor(text: string, visitor: JsonVisitor) {
    this.#text = text;
    this.#visitor = visitor;
  }

  /**
   * Walks the whole text. It does not recurse, so that a hostile depth cannot exhaust the stack.
   */
  whole(): void {
    const isObject: boolean[] = [];
    for (;;) {
      const opened = this.#beginValue();
      if (opened !== undefined) {
        isObject.push(opened);
        if (opened) this.#name();
        continue;
      }
      for (;;) {
        const code = this.#next();
        const inside = isObject[isObject.length - 1];
        if (inside === undefined) {
          if (this.#at < this.#text.length) throw this.#wrong();
          return;
        }
        this.#at += 1;
        if (code === COMMA) {
          if (inside) this.#name();
          break;
        }
        if (code !== (inside ? CLOSE_OBJECT : CLOSE_LIST)) throw this.#wrong();
        isObject.pop();
        this.#visitor.close(this.#at);
      }
    }
  }

  /** The error never quotes the text, which may be sensitive data. */
  #wrong(at = this.#at): JsonSyntaxError {
    return new JsonSyntaxError(at);
  }

  /** The next code unit that is not white space; NaN at the end. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return code;
      this.#at += 1;
    }
  }

  /** Reads a scalar, or the start of an object (`true`) or array (`false`) that is not empty. */
  #beginValue(): boolean | undefined {
    const code = this.#next();
    if (code !== OPEN_OBJECT && code !== OPEN_LIST) {
      this.#scalar(code);
      return undefined;
    }
    const isObject = code === OPEN_OBJECT;
    this.#visitor.open(isObject, this.#at);
    this.#at += 1;
    if (this.#next() !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) return isObject;
    this.#at += 1;
    this.#visitor.close(this.#at);
    return undefined;
  }

  #name(): void {
    if (this.#next() !== QUOTE) throw this.#wrong();
    const start = this.#at;
    const isEscaped = this.#string();
    this.#visitor.name(start, this.#at, isEscaped);
    if (this.#next() !== COLON) throw this.#wrong();
    this.#at += 1;
  }

  #scalar(code: number): void {
    const start = this.#at;
    let isEscaped = false;
    if (code === QUOTE) isEscaped = this.#string();
    else if (code === MINUS || isDigit(code)) this.#number();
    else this.#literal();
    this.#visitor.scalar(start, this.#at, isEscaped);
  }

  #literal(): void {
    const literal = LITERALS.find((each) => this.#text.startsWith(each, this.#at));
    if (literal === undefined) throw this.#wrong();
    this.#at += literal.length;
  }

  #digits(): void {
    const start = this.#at;
    while (isDigit(this.#text.charCodeAt(this.#at))) this.#at += 1;
    if (this.#at === start) throw this.#wrong();
  }

  #number(): void {
    if (this.#text.charCodeAt(this.#at) === MINUS) this.#at += 1;
    if (this.#text.charCodeAt(this.#at) === ZERO) this.#at += 1;
    else this.#digits();
    if (this.#text.charCodeAt(this.#at) === POINT) {
      this.#at += 1;
      this.#digits();
    }
    if (!isExponent(this.#text.charCodeAt(this.#at))) return;
    this.#at += 1;
    const sign = this.#text.charCodeAt(this.#at);
    if (sign === PLUS || sign === MINUS) this.#at += 1;
    this.#digits();
  }

  /** Reads a string, and returns whether it contains an escape sequence. */
  #string(): boolean {
    const text = this.#text;
    let isEscaped = false;
    let at = this.#at + 1;
    for (let plain = 0; ;) {
      if (plain === PLAIN_RUN) {
        SPECIAL.lastIndex = at;
        at = SPECIAL.test(text) ? SPECIAL.lastIndex - 1 : text.length;
      }
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        isEscaped = true;
        plain = 0;
        at = this.#afterEscape(at + 1);
      } else if (code >= SPACE) {
        plain += 1;
        at += 1;
      } else {
        // The text ends here (NaN), or has a control character.
        throw this.#wrong(at);
      }
    }
    this.#at = at + 1;
    return isEscaped;
  }

  #afterEscape(at: number): number {
    if (this.#text.charCodeAt(at) === LETTER_U) {
      HEX.lastIndex = at + 1;
      if (HEX.test(this.#text)) return HEX.lastIndex;
    } else if ('"\\/bfnrt'.includes(this.#text.charAt(at)) && at < this.#text.length) {
      return at + 1;
    }
    throw this.#wrong(at);
  }
}

/**
 * Reports the parts of a JSON text in order, and builds no value. Throws {@link JsonSyntaxError}
 * where `JSON.parse` throws (RFC 8259), after the parts before the error. Passes on the visitor's
 * errors.
 */
export function walkJson(text: string, visitor: JsonVisitor): void {
  new JsonWalk(text, visitor).whole();
}
