import { spawnSync } from 'node:child_process';
import { isCommit } from '../../../tools/upgrade/checkout.ts';

it.each([
  ['.', true],
  ['HEAD', true],
  ['no-such-tag', false],
  ['--help', false],
  ['HEAD:package.json', false],
])('%s names a commit: %s', (name, expected) => {
  expect(isCommit(name)).toBe(expected);
});

it('the rehearsal of an upgrade reports an unknown commit in one line, before it does anything', () => {
  const args = ['tools/rehearse-upgrade.ts', 'HEAD', 'no-such-tag'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([2, '', 'no-such-tag is no commit of this repository\n']);
});
