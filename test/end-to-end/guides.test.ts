// Runs the code of docs/guides as it stands there, and compares what the guides say that it prints.
// test/end-to-end/browser-guides.test.ts runs the guide whose page needs a browser.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as testing from '../../packages/testing/src/index.ts';
import { operatorProgram } from '../../bin/operator/program.ts';
import type { TestDestination } from '../support/destination.ts';
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';
import { expectShown, guide, type Guide } from '../support/guide-page.ts';
import { needing } from '../support/needing.ts';
import { aRevealingApplication, credentials, openDestination } from '../support/service.ts';
import { synthesized } from '../support/synthesized.ts';
import { guideSettings } from '../support/template-settings.ts';

const { describe } = needing('openssl');

const run = promisify(execFile);

const CARD_NUMBER = '4242424242424242';

/** Terminates TLS in front of the program of a guide. */
let front: TestDestination;
let program: ChildProcess | undefined;

/** Starts the program of a guide behind {@link front}. Returns what it has printed. */
async function startProgram({ folder }: Guide, file: string): Promise<() => string> {
  const child = spawn(process.execPath, [join(folder, file)], {
    env: { PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  program = child;
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  while (!/^port \d+$/m.test(printed)) await once(child.stdout, 'data');
  const [, port = ''] = /^port (\d+)$/m.exec(printed) ?? [];
  front.respond = ({ method, url, headers, body }, response) => {
    const { authorization = '' } = headers;
    void fetch(`http://localhost:${port}${url}`, {
      method,
      headers: { authorization },
      body: Buffer.from(body),
    })
      .then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.end(Buffer.from(await answer.arrayBuffer()));
      })
      .catch(() => response.destroy());
  };
  return () => printed;
}

const paste = (page: Guide): Promise<string> =>
  page.paste({
    url: credentials.base_url,
    credentialsFile: process.env['CLOAKROOM_CREDENTIALS'] ?? '',
    destination: `https://localhost:${String(front.port)}`,
  });

/** Pastes a guide, and compares what it prints with what the guide shows. */
async function pasted(page: Guide): Promise<string> {
  const stdout = await paste(page);
  expectShown(page.blocks('text'), stdout);
  return stdout;
}

const linesOf = (text: string): readonly string[] => text.trimEnd().split('\n');

beforeAll(async () => {
  front = await openDestination();
});

afterEach(() => {
  program?.kill();
  front.received.length = 0;
});

describe('the guide to charge a card', () => {
  it('has blocks that charge at the provider by JSON, a form and XML, with its secrets, and nothing else', async () => {
    const page = guide('charge-a-card');
    await startProgram(page, 'provider.mjs');
    const stdout = await pasted(page);
    expect(stdout).not.toMatch(new RegExp(`${CARD_NUMBER}|sk_test`));
    const first = 'Bearer sk_test_51MZ4kQ2eZvKYlo2C';
    const second = 'Bearer sk_test_9fGhT3wLmN0pXrVb7';
    expect(front.received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/v1/charges', first],
      ['/v1/charges', second],
      ['/v1/charges', second],
      ['/v1/refunds', second],
      ['/v1/charges', second],
      ['/v1/charges', second],
    ]);
    const bodies = front.received.map(({ body }) => body.toString());
    for (const body of bodies.slice(0, 4))
      expect(JSON.parse(body)).toEqual({ amount: 1299, number: CARD_NUMBER });
    const [form = '', xml] = [...page.blocks('http'), ...page.blocks('xml')];
    expect(bodies.slice(4)).toEqual([form.trimEnd(), xml]);
    const certificate = new X509Certificate(readFileSync(join(page.folder, 'cert.pem')));
    expect(certificate.checkHost('localhost')).toBe('localhost');
  });
});

describe('the guide to receive cards', () => {
  it('has blocks that pass a signed delivery on once, with a token in the place of each card', async () => {
    const page = guide('receive-cards');
    const printed = await startProgram(page, 'backend.mjs');
    await pasted(page);
    const shown = printed()
      .replaceAll(/'[\da-f-]{36}'/g, 'ID')
      .replaceAll(/\s+/g, ' ');
    expect(shown).toMatch(
      /^port \d+ POST \/bookings Bearer backend-key-4Tz8rQ1vWm \{ booking: 'B-7', card: ID \} POST \/bookings \{ booking: 'all', list: \[ \{ payment: ID \}, \{ payment: ID \} \] \} $/,
    );
    const sent = front.received.map(({ headers, body }) => JSON.stringify(headers) + body.toString());
    expect(sent.join('\n')).not.toMatch(new RegExp(`${CARD_NUMBER}|5425233430109903|key_proxy`));
    // The second list has the cards as the template of the page makes them.
    const { get } = await aRevealingApplication();
    const { list } = JSON.parse(front.received[1]?.body.toString() ?? '') as { list: { payment: string }[] };
    const cards = await Promise.all(list.map(({ payment }) => get(`/tokens/${payment}`)));
    expect(cards.map(({ body }) => body.data)).toEqual([
      { number: CARD_NUMBER, expiration_month: 12, expiration_year: 2030 },
      { number: '5425233430109903', expiration_month: 1, expiration_year: 2031 },
    ]);
  });

  it('has a repeat that runs again after a failure, with the same token', async () => {
    const page = guide('receive-cards', '## 5.');
    await startProgram(page, 'backend.mjs');
    const { respond } = front;
    front.respond = (_received, response) => {
      front.respond = respond;
      response.writeHead(503).end();
    };
    expect(await paste(page)).toBe(' 503\n{"accepted":"B-7"} 201\n');
    const bodies = front.received.map(({ body }) => body.toString());
    expect(bodies).toHaveLength(2);
    expect(new Set(bodies).size).toBe(1);
  });
});

describe('the guide to rotate a key', () => {
  it('has blocks that leave the new key alone, which works', async () => {
    const stdout = await paste(guide('rotate-a-key'));
    expect(stdout).toContain('"type":"token"');
    expect(stdout).toMatch(/\[ 'Billing, from December on', '\w{4}', '[\d-]{10}' \]/);
    // The first key was never used, and is gone.
    expect(stdout.match(/'\w{4}'/g)).toHaveLength(1);
  });
});

describe('the guide to show less to some', () => {
  it('has blocks that show the number to finance once, and a mask in every other response', async () => {
    const lines = linesOf(await pasted(guide('show-less-to-some')));
    expect(lines.filter((line) => line.includes(CARD_NUMBER))).toEqual([CARD_NUMBER]);
    expect(lines.filter((line) => line === 'XXXXXXXXXXXX4242')).toHaveLength(3);
  });
});

describe('the guide to find out who saw a card', () => {
  it('has blocks that name every reader with what it saw, without the number', async () => {
    const stdout = await pasted(guide('who-saw-a-card'));
    expect(stdout).not.toContain(CARD_NUMBER);
    expect(stdout.match(/^reveal .*$/gm)).toEqual(['reveal ok Finance job']);
  });
});

describe('the guide to erase a person', () => {
  it('has blocks that leave no token of the person, and those of others', async () => {
    await pasted(guide('erase-a-person'));
    const { get, post } = await aRevealingApplication();
    const customers = ['c-4711', 'c-4712'];
    const found = await Promise.all(
      customers.map((customer) => get(`/tokens?metadata.customer=${customer}`)),
    );
    expect(found.map(({ body }) => body.data.length)).toEqual([0, 1]);
    const { body } = await post('/tokens/search', { query: 'data:"+44 20 7946 0958"' });
    expect(body.data).toEqual([]);
  });
});

// Each of their commands starts the program, and test/bin has what these do.
inThoroughRun.describe('the guides to move in and out', () => {
  it('import each sample, and account for its rows', async () => {
    const page = guide('move-in');
    await pasted(page);
    const report = JSON.parse(readFileSync(join(page.folder, 'report.json'), 'utf8'));
    expect(report).toMatchObject({ rows: 15, refused: 7, complete: true });
  });

  it('export what the page shows', async () => {
    const page = guide('move-out');
    expectShown(page.blocks('text'), await pasted(page));
  });
});

describe('the guide to run code', () => {
  it('has blocks that hand the job a line which only the bank can open', async () => {
    const stdout = await pasted(guide('run-code'));
    // `bank` prints the three numbers. No response has one, nor has an error.
    expect(linesOf(stdout).filter((line) => /\d{16}/.test(line))).toEqual([
      '{"number":"4242424242424242","year":2030,"amount":1299}',
      '{"number":"5425233430109903","year":2031,"amount":500}',
      '{"number":"5425233430109903","year":2031,"amount":900}',
    ]);
    expect(linesOf(stdout).filter((line) => line === '403')).toHaveLength(3);
  });
});

describe('the guide to test with jest', () => {
  const page = guide('test-with-jest');
  const load = (file: string, modules: Readonly<Record<string, unknown>>): unknown => {
    const module = { exports: {} as unknown };
    const require = (name: string) => modules[name];
    // oxlint-disable-next-line typescript/no-implied-eval -- no module has the code of the page
    new Function('module', 'require', page.file(file))(module, require);
    return module.exports;
  };
  // The tests of the page are tests of this suite.
  load('billing.test.js', {
    '@cloakroom/testing': testing,
    './billing.js': load('billing.js', {}),
  });

  it('shows how many tests its file has', () => {
    const count = page.file('billing.test.js').match(/^it\(/gm)?.length ?? 0;
    expect(page.blocks('text')).toEqual([`Tests:       ${String(count)} passed, ${String(count)} total\n`]);
  });
});

describe('the guide to deploy', () => {
  const PROGRAMS = ['aws', 'curl', 'jq', 'npm', 'npx'];
  const SEPARATOR = '\t';
  /** Writes each call of a program to a file instead of running it. */
  const stubs = PROGRAMS.map(
    (name) => `${name}() { local IFS=$'\\t'; echo "${name}\t$AWS_PROFILE\t$AWS_REGION\t$*" >> calls; }`,
  ).join('\n');

  interface Call {
    readonly program: string;
    readonly profile: string;
    readonly region: string;
    readonly args: readonly string[];
  }

  let calls: readonly Call[];
  const called = (...beginning: readonly string[]): readonly Call[] =>
    calls.filter(({ program: name, args }) =>
      beginning.every((word, index) => [name, ...args][index] === word),
    );
  /** Returns the values of `-c name=value`. */
  const settingsIn = ({ args }: Call): Readonly<Record<string, string>> =>
    Object.fromEntries(
      args.flatMap((arg, index) => (args[index - 1] === '-c' ? [arg.split('=') as [string, string]] : [])),
    );

  beforeAll(async () => {
    const page = guide('deploy');
    const pasted = `${stubs}\n${page.blocks('sh').join('\n')}`;
    await run('bash', ['-eu', '-o', 'pipefail', '-c', pasted], { cwd: page.folder });
    calls = linesOf(readFileSync(join(page.folder, 'calls'), 'utf8')).map((line) => {
      const [name = '', profile = '', region = '', ...args] = line.split(SEPARATOR);
      return { program: name, profile, region, args };
    });
  });

  it('deploys each environment under its own account and settings, of which the app makes stacks', () => {
    const deployments = called('npx', 'cdk', 'deploy', '--all');
    expect(deployments.map(settingsIn)).toEqual(guideSettings());
    expect(deployments.map(({ profile, region }) => [profile, region])).toEqual(
      ['production', 'testing', 'testing'].map((name) => [`vault-${name}`, 'eu-west-1']),
    );
    for (const [index, settings] of guideSettings().entries()) {
      const stacks = synthesized(settings, deployments[index]?.region);
      const { serviceName = 'Cloakroom', domainName = '', alarmEmail = '', certificateArn = '' } = settings;
      expect(stacks.map(({ name }) => name)).toContain(`${serviceName}-Api`);
      const properties = stacks.flatMap(({ template }) =>
        Object.values(template.Resources).map(({ Type, Properties }) => [Type, Properties] as const),
      );
      const stated = [
        ['AWS::SNS::Subscription', { Endpoint: alarmEmail, Protocol: 'email' }],
        [
          'AWS::ApiGatewayV2::DomainName',
          {
            DomainName: domainName,
            DomainNameConfigurations: [expect.objectContaining({ CertificateArn: certificateArn })],
          },
        ],
        ['AWS::Lambda::Function', { FunctionName: `${serviceName}-operator` }],
      ] as const;
      for (const [type, members] of stated)
        expect(properties).toContainEqual([type, expect.objectContaining(members)]);
    }
  });

  it('names an alarm and an output that the stacks have', () => {
    const text = JSON.stringify(synthesized(guideSettings()[0], 'eu-west-1'));
    const [ring] = called('aws', 'cloudwatch', 'set-alarm-state');
    expect(text).toContain(`"AlarmName":"${String(ring?.args[3])}"`);
    const [describing] = called('aws', 'cloudformation', 'describe-stacks');
    const [, output = ''] = /OutputKey=='(\w+)'/.exec(describing?.args.join(' ') ?? '') ?? [];
    expect(text).toContain(`"${output}":{`);
  });

  it('has operator commands that the command line accepts', async () => {
    const names: string[] = [];
    const refused = () => Promise.reject(new Error('the page has no such command'));
    for (const { args } of called('npx', 'cloakroom', 'operator'))
      await operatorProgram(
        ({ name, functionName }) =>
          Promise.resolve(void names.push(`${name} of ${functionName ?? 'Cloakroom'}`)),
        refused,
        refused,
      ).parseAsync(args.slice(2), { from: 'user' });
    expect(names).toEqual([
      ...['audit-key', 'create-tenant', 'health', 'create-tenant'].map((name) => `${name} of Cloakroom`),
      'list-tenants of CloakroomTesting-operator',
    ]);
  });
});

describe('the guide to PCI DSS', () => {
  const { text } = guide('pci-dss');
  const sections = text.split('\n## ').flatMap((section) => {
    const [, number] = /^(A?\d+)\. /.exec(section) ?? [];
    return number === undefined ? [] : [[number, section] as const];
  });

  it('has a section for each requirement, with rows of that requirement alone, in order', () => {
    const twelve = Array.from({ length: 12 }, (_, index) => String(index + 1));
    expect(sections.map(([number]) => number)).toEqual([...twelve, 'A1']);
    for (const [number, section] of sections) {
      const rows = [...section.matchAll(/^\| (A?[\d.]+)/gm)].map(([, first = '']) => first.split('.'));
      expect(rows.length).toBeGreaterThan(1);
      expect(new Set(rows.map(([first]) => first))).toEqual(new Set([number]));
      const sorted = rows.toSorted((a, b) => a.join('.').localeCompare(b.join('.'), 'en', { numeric: true }));
      expect(rows).toEqual(sorted);
    }
  });

  it('names in each row who answers for it', () => {
    const WHO = ['vault', 'you', 'shared', 'AWS', 'AWS, you'];
    const cells = [...text.matchAll(/^\| A?\d.*\| +(\S.*?) +\|$/gm)].map(([, who = '']) => who);
    expect(cells.filter((who) => !WHO.includes(who))).toEqual([]);
  });
});

describe('the guides', () => {
  const names = readdirSync('docs/guides').map((file) => file.replace(/\.md$/, ''));

  it('are all in the index of the documentation', () => {
    const [, section = ''] = /^## Guides\n(.*?)^## /ms.exec(readFileSync('docs/README.md', 'utf8')) ?? [];
    const listed = [...section.matchAll(/\(guides\/([\w-]+)\.md\)/g)].map(([, name = '']) => name);
    expect(listed.toSorted()).toEqual(names.toSorted());
  });

  it('have diagrams of two to eight nodes, with a title and a description', () => {
    for (const name of names)
      for (const diagram of guide(name).blocks('mermaid')) {
        const nodes = diagram.match(/^ +(?:participant \w+|\w+\[.*\])/gm) ?? [];
        expect([name, nodes.length > 1, nodes.length <= 8]).toEqual([name, true, true]);
        expect(diagram).toMatch(/^ +accTitle: .+\n +accDescr: .+$/m);
      }
  });
});
