import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { InvocationId } from '../../src/core/reactors/invocation-store.ts';
import { invocationMessages } from '../../src/lambda/invocation-messages.ts';
import { fc } from '../../packages/test-kit/src/properties.ts';
import { createLog } from '../../src/lambda/request-log.ts';

const SECRET = 'planted-in-a-message';

let lines: string[];
const { write: writeLog } = createLog((line) => lines.push(line));

beforeEach(() => {
  lines = [];
});

const aRecord = (body: string, index: number) => ({ messageId: `m${String(index)}`, body }) as SQSRecord;
const eventOf = (bodies: readonly string[]): SQSEvent => ({ Records: bodies.map(aRecord) });
const message = (id: string) => JSON.stringify({ tenant_id: 'tenant', invocation_id: id });

it('reports exactly the records whose handling failed or whose body is not a message', async () => {
  const kinds = fc.array(fc.constantFrom('good', 'failing', 'malformed'), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(kinds, async (batch) => {
      const handled: InvocationId[] = [];
      const handler = invocationMessages(writeLog, 'test', async (id) => {
        await Promise.resolve();
        handled.push(id);
        if (id.id.startsWith('failing')) throw new Error(SECRET);
      });
      const bodies = batch.map((kind, index) =>
        kind === 'malformed' ? `{"x":"${SECRET}"` : message(`${kind}-${String(index)}`),
      );
      const failed = batch.flatMap((kind, index) => (kind === 'good' ? [] : [`m${String(index)}`]));
      expect(await handler(eventOf(bodies))).toEqual({
        batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })),
      });
      expect(handled).toHaveLength(batch.filter((kind) => kind !== 'malformed').length);
    }),
  );
});

it('writes one line for each record, which contains ids and no message', async () => {
  const handler = invocationMessages(writeLog, 'test', ({ id }) =>
    id === 'bad' ? Promise.reject(new Error(SECRET)) : Promise.resolve(undefined),
  );
  await handler(eventOf([message('good'), message('bad'), SECRET]));
  const written = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(written).toHaveLength(3);
  expect(written.map(({ level }) => level).toSorted()).toEqual(['error', 'error', 'info']);
  expect(written.find(({ level }) => level === 'info')).toMatchObject({
    invocationId: 'good',
    tenantId: 'tenant',
  });
  expect(lines.join()).not.toContain(SECRET);
});
