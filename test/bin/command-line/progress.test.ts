import { createProgress } from '../../../bin/command-line/progress.ts';

function shown() {
  let text = '';
  let now = 0;
  const progress = createProgress(
    {
      printError: (part) => {
        text += part;
      },
      isErrorTerminal: true,
      clock: () => now,
    },
    'rows',
  );
  return {
    progress,
    pass: (ms: number) => {
      now += ms;
    },
    lines: () => text.split('\r\u001b[2K').slice(1),
  };
}

it('shows a bar, the rate and the time left, five times a second at most', () => {
  const { progress, pass, lines } = shown();
  progress.at(0, 0);
  pass(100);
  progress.at(50, 0.1);
  pass(900);
  progress.at(1500, 0.25);
  pass(9000);
  progress.at(15_000, 0.02);
  progress.end();
  expect(lines()).toEqual([
    '0 rows, 0/s',
    '[#####...............] 25 %  1,500 rows, 1,500/s, 3 s left',
    '[....................] 2 %  15,000 rows, 1,500/s, 9 min left',
    '',
  ]);
});

it('shows the number and the rate alone where the whole is not known', () => {
  const { progress, pass, lines } = shown();
  pass(2000);
  progress.at(1000);
  expect(lines()).toEqual(['1,000 rows, 500/s']);
});

it('is silent without a terminal', () => {
  const progress = createProgress(
    {
      printError: () => {
        throw new Error('printed');
      },
    },
    'rows',
  );
  progress.at(1, 0.5);
  progress.end();
});
