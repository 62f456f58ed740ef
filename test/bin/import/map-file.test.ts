// A map leads from members of tokens to columns.
import { tokenIdOf } from '../../../bin/import/token-id-of.ts';
import { FakeImportService } from '../../support/fakes/an-import-service.ts';
import { RunFolder } from './import-runs.ts';

const folder = new RunFolder();
const NUMBER = '4242424242424242';

afterAll(() => {
  folder.remove();
});

async function imported(map: string, csv: string, more: readonly string[] = []) {
  const service = new FakeImportService();
  const args = ['--from', 'csv', '--map', folder.file(map, 'map.yaml'), '--no-journal', ...more];
  return { ...(await folder.run(service, folder.file(csv), args)), service };
}

const CARD = 'source: shop\nid: ref\ntype: card\ndata: { number: pan, expiration: expires }\n';

describe('a map', () => {
  it('names the column of each member', async () => {
    const map = `${CARD}metadata: { customer: user }\ncontainers: [/pci/shop/]\nmask: '{{ data.number | last4 }}'
expires_at: until\ndetails: { container: /pii/, data: { name: holder } }\n`;
    const csv = `ref,pan,expires,user,until,holder,tier\na_1,${NUMBER},2030-09,u_1,2031-01-01,"Ada, L",gold\n`;
    const { service, report } = await imported(map, csv);
    expect(report()).toMatchObject({ imported: 1, details: 1, ignored_columns: ['tier'] });
    const metadata = { source_id: 'a_1', customer: 'u_1' };
    expect([...service.tokens.values()].map(({ body }) => body)).toEqual([
      {
        id: tokenIdOf('shop', 'a_1'),
        type: 'card',
        data: { number: NUMBER, expiration_month: '09', expiration_year: '2030' },
        containers: ['/pci/shop/'],
        mask: '{{ data.number | last4 }}',
        metadata,
        expires_at: '2031-01-01',
      },
      {
        id: tokenIdOf('shop', 'a_1/details'),
        type: 'token',
        data: { name: 'Ada, L' },
        containers: ['/pii/'],
        metadata,
        expires_at: '2031-01-01',
      },
    ]);
  });

  it.each(['09/2030', '9/2030', '09/30', '092030', '0930', '2030-09', '09-2030'])(
    'reads an expiry that is written as %s',
    async (expires) => {
      const { service } = await imported(CARD, `ref,pan,expires\na_1,${NUMBER},${expires}\n`);
      const [token] = service.tokens.values();
      const data = token?.body['data'];
      expect(data).toMatchObject({ expiration_year: '2030' });
      expect(data).toMatchObject({ expiration_month: expect.stringMatching(/^0?9$/) as string });
    },
  );

  it('has one column for data that is text, and keeps old ids with --keep-ids', async () => {
    const map = 'source: hr\nid: ref\ntype: social_security_number\ndata: ssn\n';
    const { service } = await imported(map, 'ref,ssn\nemployee-7,078-05-1120\n', ['--keep-ids']);
    expect(service.tokens.get('employee-7')?.body).toMatchObject({ data: '078-05-1120' });
  });

  it.each([
    [
      'a member that is not known',
      `${CARD}metdata: { a: b }\n`,
      ':5:1: the map: a member is not known; did you mean `metadata`?',
    ],
    [
      'a type that is not known',
      'source: s\nid: a\ntype: crd\ndata: b\n',
      ':3:1: type must be token, card, bank, ',
    ],
    [
      'a member that a card does not have',
      'source: s\nid: a\ntype: card\ndata: { nmber: b }\n',
      ':4:9: data: a member is not known; did you mean `number`?',
    ],
    [
      'a cvc',
      'source: s\nid: a\ntype: card\ndata: { number: b, cvc: c }\n',
      ':4:20: data: a member is not known',
    ],
    ['no data', 'source: s\nid: a\ntype: card\n', ':1:1: data is missing'],
    [
      'a container that is none',
      `${CARD}details: { container: pii, data: { a: b } }\n`,
      ':5:12: must start and end with "/"',
    ],
  ])('is refused by line and column with %s', async (_, map, problem) => {
    const { exitCode, err } = await imported(map, 'a,b\n');
    expect(exitCode).toBe(2);
    expect(err).toContain(problem);
  });

  it('whose column the file lacks stops the run with the nearest name', async () => {
    const { exitCode, err } = await imported(CARD, `ref,pann,expires\na_1,${NUMBER},2030-09\n`);
    expect(exitCode).toBe(2);
    expect(err).toContain('lacks the column pan (the nearest column of the file is pann); nothing was done');
  });

  it('needs --source unless it has a source', async () => {
    const { exitCode, err } = await imported(CARD.replace('source: shop\n', ''), 'ref,pan,expires\n');
    expect(exitCode).toBe(2);
    expect(err).toContain('--source NAME, or `source` in the map');
  });
});

describe('a map with --replace', () => {
  const MAP = `source: shop\nid: ref\ntype: token\ndata: { name: holder, city: town }
details: { container: /pii/, data: { note: note } }\n`;

  it('removes members of data that its rows no longer have, and those of their details', async () => {
    const first = await imported(MAP, 'ref,holder,town,note\na_1,Ada,Rome,x\n');
    const { service } = first;
    const args = ['--from', 'csv', '--map', folder.file(MAP, 'map.yaml'), '--no-journal', '--replace'];
    const later = await folder.run(service, folder.file('ref,holder,town,note\na_1,Eve,,\n'), args);
    expect(later.report()).toMatchObject({ rows: 1, not_compared: 1, replaced: 1 });
    const dataOf = (oldId: string) => service.tokens.get(tokenIdOf('shop', oldId))?.body['data'];
    expect(dataOf('a_1')).toEqual({ name: 'Eve', city: null });
    expect(dataOf('a_1/details')).toEqual({ note: null });
  });

  it('leaves the token of another row alone, which has the id of its details', async () => {
    const { service } = await imported(MAP, 'ref,holder,town,note\na_1/details,Ada,Rome,\n');
    const id = tokenIdOf('shop', 'a_1/details');
    const before = service.tokens.get(id);
    const args = ['--from', 'csv', '--map', folder.file(MAP, 'map.yaml'), '--no-journal', '--replace'];
    for (const row of ['a_1,Eve,,', 'a_1,Eve,,y'])
      await folder.run(service, folder.file(`ref,holder,town,note\n${row}\n`), args);
    expect(service.tokens.get(id)).toEqual(before);
  });
});
