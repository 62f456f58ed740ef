import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './run-service.ts';

const run = promisify(execFile);

/** The blocks of a guide refer to these, and tests use others in place of them. */
export interface Surroundings {
  /** It replaces `http://localhost:8787`. */
  readonly url: string;
  /** It replaces `.local/credentials.json`. */
  readonly credentialsFile: string;
  /** It replaces `http://localhost:9777`, the program of the guide. */
  readonly destination?: string;
}

/** A page of docs/guides, whose code runs as it stands there. */
export interface Guide {
  readonly text: string;
  /** The files that the reader saves are in it. It replaces `.local`. */
  readonly folder: string;
  /** Returns the blocks of a language, in the order of the page. */
  blocks(language: string): readonly string[];
  /** The content that the page shows of a file that the reader saves. */
  file(name: string): string;
  /** Pastes the blocks for a shell into one. Returns what they have printed. */
  paste(surroundings: Surroundings): Promise<string>;
}

/** Reads a guide, or only its part before a heading. */
export function guide(name: string, before?: string): Guide {
  const [text = ''] = readFileSync(`docs/guides/${name}.md`, 'utf8').split(before ?? '\0');
  const folder = temporaryFolder();
  const blocks = (language: string) =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);
  // The sentence before a block names its file.
  const files = new Map(
    [
      ...text.matchAll(
        /as\s+`(?:\.local\/)?([\w.-]+\.(?:m?js|html))`(?:(?!^```).)*?^```(?:js|html)\n(.*?)^```$/gms,
      ),
    ].map(([, file = '', content = '']) => [file, content] as const),
  );
  for (const [file, content] of files) writeFileSync(join(folder, file), content);
  return {
    text,
    folder,
    blocks,
    file(wanted) {
      const content = files.get(wanted);
      if (content === undefined) throw new Error(`docs/guides/${name}.md has no file ${wanted}`);
      return content;
    },
    async paste({ url, credentialsFile, destination = '' }) {
      const pasted = blocks('sh')
        .join('\n')
        .replaceAll('http://localhost:8787', url)
        .replaceAll('http://localhost:9777', destination)
        .replaceAll('.local/credentials.json', credentialsFile)
        .replaceAll('.local/', `${folder}/`);
      return (await run('bash', ['-eu', '-o', 'pipefail', '-c', pasted])).stdout;
    },
  };
}

/** Expects each line that the guide shows, in the order of the guide. */
export function expectShown(shown: readonly string[], stdout: string): void {
  let from = 0;
  for (const line of shown.join('').trimEnd().split('\n')) {
    const at = stdout.indexOf(line, from);
    expect([line, at === -1 ? stdout.slice(from) : 'printed']).toEqual([line, 'printed']);
    from = at + line.length;
  }
}
