import { limitOutput } from '../../src/lambda/custom-runtime/limit-output.ts';

it('forwards a million characters of each second, and drops the rest', () => {
  const logged: string[] = [];
  let now = 5_000;
  const write = limitOutput(
    (text) => logged.push(text),
    () => now,
  );
  const half = 'x'.repeat(500_000);
  for (const text of [half, half, 'y', 'y']) write(text);
  now = 5_999;
  write('y');
  expect(logged).toEqual([half, half]);
  now = 6_000;
  write('z');
  expect(logged).toEqual([half, half, 'z']);
});
