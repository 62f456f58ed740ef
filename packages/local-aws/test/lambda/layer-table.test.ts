import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLayerTable } from '../../src/lambda/layer-table.ts';

const arnOf = (number: number) => `arn:aws:lambda:us-east-1:000000000000:layer:runtime:${String(number)}`;

const made: string[] = [];
function aFolder(content?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'layers-'));
  made.push(folder);
  if (content !== undefined) writeFileSync(join(folder, 'bootstrap'), content);
  return folder;
}
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** Publishes content as a start with an app of this content does. */
function publish(dataDir: string, content: string): string {
  const layers = createLayerTable(dataDir);
  const arn = arnOf(layers.numberOf('runtime', content));
  layers.define({ arn, directory: aFolder(content), key: content, description: content });
  return arn;
}

describe('the versions of a layer', () => {
  it('are numbered by changes of its content, also back to an earlier one', () => {
    const dataDir = aFolder();
    const contents = ['a', 'a', 'b', 'a', 'a'];
    expect(contents.map((content) => publish(dataDir, content))).toEqual([1, 1, 2, 3, 3].map(arnOf));
    expect(
      createLayerTable(dataDir)
        .versions('runtime')
        .map(({ description }) => description),
    ).toEqual(['a', 'b', 'a']);
  });

  it('last with their content when the app that had it is gone, until they are removed', () => {
    const dataDir = aFolder();
    const first = publish(dataDir, 'a');
    publish(dataDir, 'b');
    for (const folder of made.filter((each) => each !== dataDir)) rmSync(folder, { recursive: true });
    const layers = createLayerTable(dataDir);
    const { directory = '' } = layers.find(first) ?? {};
    expect(readFileSync(join(directory, 'bootstrap'), 'utf8')).toBe('a');
    layers.remove(first);
    expect([existsSync(directory), createLayerTable(dataDir).find(first)]).toEqual([false, undefined]);
  });
});
