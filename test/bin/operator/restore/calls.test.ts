// Calls of a restore whose responses are partial or failures.
import type { WriteRequest } from '@aws-sdk/client-dynamodb';
import { restoreBeside } from '../../../../bin/operator/restore/restore-beside.ts';
import { restoreClean } from '../../../../bin/operator/restore/restore-clean.ts';
import { restoreExchange } from '../../../../bin/operator/restore/restore-exchange.ts';
import type { RestoreDeps } from '../../../../bin/operator/restore/restore-deps.ts';
import { readAll, writeAll } from '../../../../bin/operator/restore/scan.ts';
import { describeTable } from '../../../../bin/operator/restore/tables.ts';
import { aDeployment } from './a-deployment.ts';

const key = (n: number) => ({ pk: { S: String(n) }, sk: { S: 'x' } });
const keys = Array.from({ length: 260 }, (_, n) => key(n));

/** Deps whose DynamoDB returns `respond(input)`, and what was sent and waited. */
function depsThat(respond: (input: any) => object) {
  const waited: number[] = [];
  const send = (command: { readonly input: object }) => Promise.resolve(respond(command.input));
  const pause = (ms: number) => Promise.resolve(void waited.push(ms));
  return { waited, deps: { dynamodb: { send }, pause } as unknown as RestoreDeps };
}

describe('a batch of which DynamoDB leaves elements out', () => {
  it('is sent again until each element was written once', async () => {
    const written: string[] = [];
    const { deps, waited } = depsThat(({ RequestItems: { T: writes } }: any) => {
      const done = Math.ceil(writes.length / 2);
      written.push(...writes.slice(0, done).map((each: WriteRequest) => each.PutRequest?.Item?.['pk']?.S));
      return { UnprocessedItems: done < writes.length ? { T: writes.slice(done) } : {} };
    });
    await writeAll(
      deps,
      'T',
      keys.map((Item) => ({ PutRequest: { Item } })),
    );
    expect(written.toSorted()).toEqual(keys.map(({ pk }) => pk.S).toSorted());
    expect(waited[0]).toBe(100);
  });

  it('is sent again until each element was read once', async () => {
    const { deps } = depsThat(({ RequestItems: { T } }: any) => {
      const done = Math.ceil(T.Keys.length / 2);
      const left = T.Keys.slice(done);
      return {
        Responses: { T: T.Keys.slice(0, done) },
        UnprocessedKeys: left.length > 0 ? { T: { Keys: left } } : {},
      };
    });
    const found = await readAll(deps, 'T', keys);
    expect(found.map(({ pk }) => pk?.S).toSorted()).toEqual(keys.map(({ pk }) => pk.S).toSorted());
  });

  it('fails after twenty attempts without progress, and names the remedy', async () => {
    const { deps, waited } = depsThat(({ RequestItems }) => ({ UnprocessedItems: RequestItems }));
    const writing = writeAll(deps, 'T', [{ DeleteRequest: { Key: key(1) } }]);
    await expect(writing).rejects.toThrow('DynamoDB is throttling: run the step again');
    expect(waited).toHaveLength(19);
    expect(Math.max(...waited)).toBe(10_000);
  });
});

describe('a failure of DescribeTable', () => {
  const failing = (name: string) => {
    const { deps } = depsThat(() => {
      throw Object.assign(new Error('no'), { name });
    });
    return describeTable(deps, 'T');
  };

  it('means that the table is missing only for ResourceNotFoundException', async () => {
    expect(await failing('ResourceNotFoundException')).toBeUndefined();
    for (const name of [
      'AccessDeniedException',
      'ThrottlingException',
      'InternalServerError',
      'TimeoutError',
    ])
      await expect(failing(name)).rejects.toMatchObject({ name });
  });

  it('stops every step before it changes anything', async () => {
    const deployment = await aDeployment();
    await restoreBeside(deployment.deps, 'Cloakroom-operator', 'latest', ['Tokens']);
    const before = await deployment.state();
    const isChange = /^(Create|Delete|Restore|Update|Put|BatchWrite)/;
    for (const step of [restoreExchange, restoreClean]) {
      deployment.calls.length = 0;
      deployment.setFate((operation) => (operation === 'DescribeTable' ? 'before' : undefined));
      await expect(step(deployment.deps)).rejects.toThrow('cut off');
      expect(deployment.calls.filter((call) => isChange.test(call))).toEqual([]);
    }
    expect(await deployment.state()).toEqual(before);
    await deployment.close();
  });
});

describe('clean', () => {
  it('deletes the copies once, and fails without an effect when it is repeated', async () => {
    const deployment = await aDeployment();
    await restoreBeside(deployment.deps, 'Cloakroom-operator', 'latest', ['Tokens', 'Reactors']);
    const before = await deployment.state();
    expect(await restoreClean(deployment.deps)).toMatchObject({ removed: 3 });
    deployment.calls.length = 0;
    await expect(restoreClean(deployment.deps)).rejects.toThrow('has no restore');
    expect(deployment.calls).toEqual([]);
    expect(await deployment.state()).toEqual(before);
    await deployment.close();
  });

  it('refuses while a backup may be all that is left of a table', async () => {
    const deployment = await aDeployment();
    await restoreBeside(deployment.deps, 'Cloakroom-operator', 'latest', ['Tokens']);
    deployment.setFate((operation) => (operation === 'RestoreTableFromBackup' ? 'before' : undefined));
    await expect(restoreExchange(deployment.deps)).rejects.toThrow('cut off');
    deployment.setFate(() => undefined);
    await expect(restoreClean(deployment.deps)).rejects.toThrow('complete it with restore exchange');
    expect(await deployment.lostTables()).toEqual([]);
    await restoreExchange(deployment.deps);
    await restoreClean(deployment.deps);
    await deployment.close();
  });
});
