import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export interface Screen {
  title(text: string): void;
  chapter(title: string, text: string): void;
  say(text: string): void;
  /** Shows an exchange with the service: the call, its caller, the request and the response. */
  exchange(exchange: Exchange): void;
  code(text: string): void;
  /** JSON of another party, such as what a destination received. */
  seen(label: string, value: unknown): void;
  /** A claim that was checked. */
  checked(promise: string): void;
  failed(text: string): void;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** The caller who owns the key. */
  readonly by: string;
  /** The header that names the destination or the stored proxy. Only set if it was sent. */
  readonly through: string | undefined;
  readonly sent: unknown;
  readonly status: number;
  readonly received: unknown;
}

/** Keys and secrets are recognised by their form everywhere: none is printed completely. */
const SECRET = /\b(key_[a-z]+_|whsec_)([\w+/=-]{4})[\w+/=-]+/g;

const shortened = (text: string): string => text.replaceAll(SECRET, '$1$2…');

const WIDTH = 100;

function wrapped(text: string, indent: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length + 1 > WIDTH - indent.length) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => indent + line).join('\n');
}

/** JSON on one line if it fits, else a line for each member; coloured by kind. */
function json(value: unknown, indent: string, color: (style: Style, text: string) => string): string {
  const flat = (part: unknown): string => {
    if (Array.isArray(part)) return `[${part.map(flat).join(', ')}]`;
    if (typeof part === 'object' && part !== null) {
      const members = Object.entries(part).map(([name, member]) => `${color('cyan', name)}: ${flat(member)}`);
      return `{ ${members.join(', ')} }`;
    }
    if (typeof part === 'string') return color('green', JSON.stringify(shortened(part)));
    return color('yellow', String(part));
  };
  const line = flat(value);
  // The longest prefix that can precede it on the same line.
  const length = stripVTControlCharacters(line).length + indent.length + 16;
  if (length <= WIDTH || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent}  `;
  const parts = Object.entries(value).map(([name, member]) => {
    const label = Array.isArray(value) ? '' : `${color('cyan', name)}: `;
    return `${deeper}${label}${json(member, deeper, color)}`;
  });
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

/**
 * Prints to a stream: with colours on a terminal that supports them (NO_COLOR, FORCE_COLOR), plain
 * otherwise.
 */
export function createScreen(stream: NodeJS.WriteStream): Screen {
  const color = (style: Style, text: string): string => styleText(style, text, { stream });
  const print = (text = ''): void => void stream.write(`${shortened(text)}\n`);
  let chapters = 0;
  let isAfterCheck = false;
  /** Prints an empty line, except between one check and the next. */
  const paragraph = (): void => {
    isAfterCheck = false;
    print();
  };
  return {
    title: (text) => {
      paragraph();
      print(color('bold', text));
    },
    chapter: (title, text) => {
      chapters += 1;
      paragraph();
      print(color(['bold', 'blue'], `${String(chapters)}. ${title}`));
      print(wrapped(text, '   '));
    },
    say: (text) => {
      paragraph();
      print(wrapped(text, '   '));
    },
    exchange: ({ method, path, by, through, sent, status, received }) => {
      paragraph();
      print(`   ${color('bold', `${method} ${path}`)}  ${color('dim', by)}`);
      if (through !== undefined) print(`      ${through}`);
      if (sent !== undefined) print(`    ${color('dim', '→')} ${json(sent, '      ', color)}`);
      const content = received === undefined ? '' : ` ${json(received, '      ', color)}`;
      print(`    ${color('dim', '←')} ${color(status < 400 ? 'green' : 'red', String(status))}${content}`);
    },
    code: (text) => {
      paragraph();
      for (const line of text.trim().split('\n')) print(`   ${color('dim', `│ ${line}`).trimEnd()}`);
    },
    seen: (label, value) => {
      paragraph();
      print(`   ${color('bold', label)}`);
      print(`      ${json(value, '      ', color)}`);
    },
    checked: (promise) => {
      if (!isAfterCheck) print();
      isAfterCheck = true;
      print(`   ${color('green', '✓')} ${promise}`);
    },
    failed: (text) => print(`\n${color(['bold', 'red'], '✗')} ${text}`),
  };
}
