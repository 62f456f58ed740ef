import { commandCheck, commandsIn } from '../../../tools/docs/commands.ts';

describe('command lines in a text', () => {
  const found = (text: string) => commandsIn(text, ['start', 'tokens']);

  it.each([
    ['Run `npx cloakroom operator health`.', ['operator health']],
    [
      '```sh\nnpx cloakroom operator audit-key --json | jq -r .key > key.pem\n```',
      ['operator audit-key --json'],
    ],
    ['npx cloakroom tokens get ID && npx cloakroom logs   # later', ['tokens get ID', 'logs']],
    ['npx cloakroom operator create-tenant --name "My shop"', ['operator create-tenant --name "My shop"']],
    ['npm start -- --port 9000 \\\n  --data d', ['start --port 9000 --data d']],
    ['First npx cloakroom operator health. Then go on', ['operator health']],
    ['`cloakroom tokens list`, but `cloakroom tenant key v1`', ['tokens list']],
  ])('are found in %j', (text, lines) => {
    expect(found(text).map((words) => words.join(' '))).toEqual(lines);
  });

  it.each([
    ['operator health --local', undefined],
    ['operator rotate-keys --tenant ID', undefined],
    ['operator COMMAND', undefined],
    ['help operator restore', undefined],
    ['start --set throttleRate=1 --port N', undefined],
    ['reactor run', undefined],
    ['operator helth', "unknown command 'helth' (Did you mean health?)"],
    ['help operatr', "unknown command 'operatr' (Did you mean operator?)"],
    ['tokens get ID --revael', "unknown option '--revael' (Did you mean --reveal?)"],
    ['start extra', "too many arguments for 'start'. Expected 0 arguments but got 1."],
  ])('are parsed by the program: %s', async (line, problem) => {
    const { problemOf } = await commandCheck();
    expect(await problemOf(line.split(' '))).toBe(problem);
  });
});
