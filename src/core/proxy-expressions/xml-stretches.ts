/** A stretch of XML or HTML. The text between two stretches is their delimiter. */
export interface XmlStretch {
  readonly kind:
    | 'text'
    | 'cdata'
    /** The value that an attribute has, without its quotes. */
    | 'attribute'
    /** A tag or declaration. The values of its quoted attributes are stretches of their own. */
    | 'tag'
    /**
     * Text that is not parsed: a comment, a processing instruction or the content of a script or
     * style.
     */
    | 'unparsed';
  readonly from: number;
  readonly to: number;
}

/** A `<` that readers of XML or HTML do not take for text. */
const MARKUP = /<(?=[!/?:_a-z\u0080-\uffff])/gi;
const TAG_DELIMITER = /["'>]/g;
const SCRIPT = /^<(script|style)[\s/>]/i;
const SCRIPT_END: Readonly<Record<string, RegExp>> = { script: /<\/script/gi, style: /<\/style/gi };

/** Markup that ends where its end text first occurs, whatever comes before. */
const SECTIONS = [
  ['<!--', '-->', 'unparsed'],
  ['<![CDATA[', ']]>', 'cdata'],
  ['<?', '?>', 'unparsed'],
] as const;

/** The position of the first match at `from` or later; the length of the text if there is none. */
function find(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** Whether a quote begins the value of an attribute: it follows `=`, with or without spaces. */
function isAfterEquals(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charAt(at).trim() === '' && at > 0) at -= 1;
  return text[at] === '=';
}

/** The stretches of a tag that starts at `from`; returns its end. */
function* stretchesOfTag(text: string, from: number): Generator<XmlStretch, number> {
  let start = from;
  let at = from;
  for (;;) {
    at = find(TAG_DELIMITER, text, at);
    const character = text.charAt(at);
    if (character === '' || character === '>') {
      const end = Math.min(at + 1, text.length);
      yield { kind: 'tag', from: start, to: end };
      return end;
    }
    at += 1;
    if (!isAfterEquals(text, at - 1)) continue;
    const close = text.indexOf(character, at);
    const end = close === -1 ? text.length : close;
    yield { kind: 'tag', from: start, to: at };
    yield { kind: 'attribute', from: at, to: end };
    start = end;
    at = end + 1;
  }
}

/** The end of the script or style whose tag is at `from..to`; `to` after any other tag. */
function endOfScript(text: string, from: number, to: number): number {
  const name = SCRIPT.exec(text.slice(from, from + '<script>'.length))?.[1]?.toLowerCase() ?? '';
  const end = SCRIPT_END[name];
  return end === undefined || text.endsWith('/>', to) ? to : find(end, text, to);
}

/** Splits any text into the stretches of XML or HTML, in their order, in one pass. */
export function* xmlStretches(text: string): Generator<XmlStretch> {
  for (let at = 0; at < text.length;) {
    const markup = find(MARKUP, text, at);
    if (markup > at) yield { kind: 'text', from: at, to: markup };
    at = markup;
    const section = SECTIONS.find(([open]) => text.startsWith(open, markup));
    if (section !== undefined) {
      const [open, close, kind] = section;
      const end = text.indexOf(close, markup + open.length);
      yield { kind, from: markup + open.length, to: end === -1 ? text.length : end };
      at = end === -1 ? text.length : end + close.length;
    } else if (markup < text.length) {
      const end = yield* stretchesOfTag(text, markup);
      at = endOfScript(text, markup, end);
      if (at > end) yield { kind: 'unparsed', from: end, to: at };
    }
  }
}
