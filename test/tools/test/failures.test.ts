import { failuresOf, type JestFile, type JestTest } from '../../../tools/test/failures.ts';

const aTest = (changes: Partial<JestTest> = {}): JestTest => ({
  ancestorTitles: ['a token'],
  title: 'is gone at its end',
  status: 'passed',
  failureMessages: [],
  ...changes,
});

const failures = (changes: Partial<JestFile>) =>
  failuresOf(
    {
      testResults: [
        {
          name: '/my root/test/x.test.ts',
          message: '',
          status: 'failed',
          startTime: 0,
          endTime: 0,
          assertionResults: [],
          ...changes,
        },
      ],
    },
    '/my root',
  );

describe('a failure is reported with', () => {
  it('a failure is reported with its title, the expected and the received value, and the line of the test', () => {
    const message = [
      'Error: \u001b[2mexpect(\u001b[22mreceived).toBe(expected)',
      '',
      'Expected: 404',
      'Received: 200',
      '    at check (/my root/test/support/helper.ts:3:1)',
      '    at Object.<anonymous> (file:///my%20root/test/x.test.ts:12:5)',
      '    at run (/my root/node_modules/jest/index.js:1:1)',
    ].join('\n');
    const failed = aTest({ status: 'failed', failureMessages: [message] });
    expect(failures({ assertionResults: [aTest(), failed] })).toEqual([
      {
        promise: 'a token › is gone at its end',
        found: ['Error: expect(received).toBe(expected)', 'Expected: 404', 'Received: 200'],
        at: 'test/x.test.ts:12',
        file: 'test/x.test.ts',
      },
    ]);
  });

  it('a failure is reported with its first lines, whatever its length', () => {
    const message = Array.from({ length: 200 }, (_, line) => `${String(line)} ${'x'.repeat(1_000)}`).join(
      '\n',
    );
    const [failure] = failures({
      assertionResults: [aTest({ status: 'failed', failureMessages: [message] })],
    });
    expect(failure?.found).toHaveLength(25);
    expect(failure?.found.at(-1)).toBe('... 176 more lines above');
    expect(Math.max(...(failure?.found ?? []).map((line) => line.length))).toBeLessThan(210);
  });

  it('its file, where none of its tests could run', () => {
    const message = "Cannot find module './y.ts'\n    at resolve (/my root/test/x.test.ts:1:1)";
    expect(failures({ message })).toEqual([
      {
        promise: 'test/x.test.ts can run',
        found: ["Cannot find module './y.ts'"],
        at: 'test/x.test.ts:1',
        file: 'test/x.test.ts',
      },
    ]);
  });

  it('nothing where all passed or did not run', () => {
    expect(failures({ status: 'passed', assertionResults: [aTest(), aTest({ status: 'pending' })] })).toEqual(
      [],
    );
  });
});
