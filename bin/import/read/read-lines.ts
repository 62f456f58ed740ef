import { FieldReporter } from '../../../src/core/shared/field-reporter.ts';
import { isJsonObject } from '../../../src/core/shared/json.ts';
import { JsonExtentError, membersOf, MEMBERS_MAX_TEXT } from '../../../src/core/shared/json-extent.ts';
import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { BodyCheck } from '../../../src/wire/body-check.ts';
import { memberOfBody } from '../columns/member-of-body.ts';
import { FileEnds, ROW_MAX_BYTES, type ReadRow, type RowProblem } from './read-row.ts';

const LINE_FEED = 0x0a;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Lines without their ends. `isLast` is true for a line that has none. */
async function* linesOf(
  text: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly line: Buffer; readonly isLast: boolean }> {
  let row = 1;
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of text) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      yield { line: Buffer.concat([...parts, chunk.subarray(from, at)]), isLast: false };
      row += 1;
      parts = [];
      bytes = 0;
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > ROW_MAX_BYTES)
      throw new FileEnds(`row ${String(row)}: is larger than ${String(ROW_MAX_BYTES / 1_000_000)} MB`);
  }
  if (bytes > 0) yield { line: Buffer.concat(parts), isLast: true };
}

const firstProblem = (fields: FieldReporter): RowProblem | undefined => {
  const [[column, [problem = '']] = ['', []]] = Object.entries(fields.error().errors ?? {});
  return problem === '' ? undefined : { ...(column !== '' && { column: memberOfBody(column) }), problem };
};

/** A line of JSON as the service would read it as a body. */
function contentOf(line: Buffer, row: number): ReadRow | 'cut' {
  const problem = (found: RowProblem): ReadRow => ({ kind: 'problem', row, found });
  let text: string;
  try {
    text = utf8.decode(line);
  } catch {
    return problem({ problem: 'is not UTF-8' });
  }
  const fields = new FieldReporter();
  try {
    membersOf(text, { also: new BodyCheck(text, fields) });
    const object = parseJson(text);
    const found = firstProblem(fields);
    if (found !== undefined) return problem(found);
    if (!isJsonObject(object)) return problem({ problem: 'is no JSON object' });
    return { kind: 'content', row, content: { kind: 'object', object } };
  } catch (error) {
    if (error instanceof JsonExtentError)
      return problem({ problem: `is nested too deeply, or has more than ${MEMBERS_MAX_TEXT}` });
    return 'cut';
  }
}

/** The rows of a file with one JSON object a line. Rejects with {@link FileEnds}. */
export async function* readLines(text: AsyncIterable<Buffer>): AsyncGenerator<ReadRow> {
  let row = 0;
  for await (const { line, isLast } of linesOf(text)) {
    row += 1;
    if (line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)) continue;
    const read = contentOf(line, row);
    if (read !== 'cut') yield read;
    else if (isLast) throw new FileEnds(`row ${String(row)}: the file ends inside of the row: it was cut`);
    else yield { kind: 'problem', row, found: { problem: 'is not JSON' } };
  }
}
