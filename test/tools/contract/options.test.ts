import { contractOptions } from '../../../tools/contract/options.ts';

const KEY = 'key_management_secret';
const env = { CLOAKROOM_MANAGEMENT_KEY: KEY };
const URL_OF_AWS = 'https://abc.execute-api.eu-central-1.amazonaws.com';

describe('the command line of npm run contract', () => {
  it('takes the key from the environment, and all suites', () => {
    const { url, managementKey, suites } = contractOptions(['--url', `${URL_OF_AWS}/`], env);
    expect([url, managementKey]).toEqual([URL_OF_AWS, KEY]);
    expect(suites).toContain('test/interface/tokens.test.ts');
    expect(suites.length).toBeGreaterThan(10);
  });

  it('takes the key of the option first, and the suites that it names', () => {
    const args = ['--url', 'http://localhost:4000', '--management-key', 'another', '--only', 'tokens'];
    expect(contractOptions([...args, '--only', 'roles'], env)).toEqual({
      url: 'http://localhost:4000',
      managementKey: 'another',
      suites: ['test/interface/roles.test.ts', 'test/interface/tokens.test.ts'],
    });
  });

  it.each([
    [['--url', 'http://api.example.com'], 'https'],
    [['--url', 'http://localhost.example.com'], 'https'],
    [['--url', 'http://10.0.0.1'], 'https'],
    [['--url', 'ftp://localhost'], 'https'],
    [['--url', 'https://user@api.example.com'], 'address'],
    [['--url', 'https://api.example.com/v1'], 'address'],
    [['--url', 'api.example.com'], 'address'],
    [[], '--url'],
    [['--url', URL_OF_AWS, '--only', 'nothing'], 'no suite nothing'],
    [['--url', URL_OF_AWS, KEY], 'unknown'],
    [['--url', URL_OF_AWS, `--key=${KEY}`], 'unknown'],
  ])('rejects %j', (args, reason) => {
    expect(() => contractOptions(args, env)).toThrow(reason);
    expect(() => contractOptions(args, env)).not.toThrow(KEY);
  });

  it('rejects a missing key', () => {
    expect(() => contractOptions(['--url', URL_OF_AWS], {})).toThrow('CLOAKROOM_MANAGEMENT_KEY');
  });
});
