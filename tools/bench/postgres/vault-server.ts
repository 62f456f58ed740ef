// The usual alternative (docs/performance/figures.md#postgresql-with-pgcrypto): with pgcrypto, the
// database sees key and plaintext. Arguments: the folder of the socket, the database's user.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

const SCHEMA = `
create extension if not exists pgcrypto;
create table api_key (hash bytea primary key, tenant_id uuid not null, application_id uuid not null, permissions text[] not null);
create table token (
  id uuid primary key default gen_random_uuid(), tenant_id uuid not null, type text not null, data bytea not null, fingerprint bytea not null,
  created_by uuid not null, created_at timestamptz not null default clock_timestamp()
);
create index token_list on token (tenant_id, created_at desc, id);
create index token_fingerprint on token (tenant_id, fingerprint);
`;
const INSERT = `
insert into token (tenant_id, type, data, fingerprint, created_by)
values ($1, $2, pgp_sym_encrypt($3, $4, 'cipher-algo=aes256'), hmac($5, $4, 'sha256'), $6) returning id, fingerprint, created_at`;
const COLUMNS = 'id, tenant_id, type, pgp_sym_decrypt(data, $2) as data, fingerprint, created_by, created_at';
const FIND = `select ${COLUMNS} from token where tenant_id = $1 and id = $3`;
const LIST = `select ${COLUMNS} from token where tenant_id = $1 order by created_at desc, id limit $3`;

interface Caller {
  readonly tenant_id: string;
  readonly application_id: string;
}

interface Row {
  readonly id: string;
  readonly tenant_id: string;
  readonly type: string;
  readonly data: string;
  readonly fingerprint: Buffer;
  readonly created_by: string;
  readonly created_at: Date;
}

const [host = '', user = ''] = process.argv.slice(2);
const key = randomBytes(32).toString('hex');
const apiKey = randomBytes(24).toString('base64url');
const pool = new pg.Pool({ host, user, database: 'postgres', max: 10 });

const hashOf = (text: string) => createHash('sha256').update(text).digest();

function view({ data, fingerprint, ...row }: Row): object {
  const card = JSON.parse(data) as { readonly number: string };
  const number = 'X'.repeat(card.number.length - 4) + card.number.slice(-4);
  return { ...row, data: { ...card, number }, fingerprint: fingerprint.toString('base64url') };
}

async function authenticate(input: string): Promise<Caller | undefined> {
  const text = 'select tenant_id, application_id, permissions from api_key where hash = $1';
  return (await pool.query<Caller>({ name: 'authenticate', text, values: [hashOf(input)] })).rows[0];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function create({ tenant_id: tenant, application_id: by }: Caller, body: string): Promise<object> {
  const { type, data } = JSON.parse(body) as { type: string; data: { number: string } };
  const text = JSON.stringify(data);
  const values = [tenant, type, text, key, data.number, by];
  const { rows } = await pool.query<Row>({ name: 'insert', text: INSERT, values });
  const [row] = rows;
  if (row === undefined) throw new Error('nothing was inserted');
  return view({ ...row, tenant_id: tenant, type, data: text, created_by: by });
}

async function respond(request: IncomingMessage): Promise<readonly [number, unknown]> {
  const caller = await authenticate(String(request.headers['svc-api-key']));
  if (caller === undefined) return [401, { title: 'Unauthorized' }];
  if (request.method === 'POST') return [201, await create(caller, await bodyOf(request))];
  const id = /^\/tokens\/([0-9a-f-]{36})$/.exec(request.url ?? '')?.[1];
  if (id === undefined) {
    const { rows } = await pool.query<Row>({ name: 'list', text: LIST, values: [caller.tenant_id, key, 20] });
    return [200, { data: rows.map(view) }];
  }
  const { rows } = await pool.query<Row>({ name: 'find', text: FIND, values: [caller.tenant_id, key, id] });
  const [row] = rows;
  return row === undefined ? [404, { title: 'Not Found' }] : [200, view(row)];
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

await pool.query(SCHEMA);
await pool.query('insert into api_key values ($1, gen_random_uuid(), gen_random_uuid(), $2)', [
  hashOf(apiKey),
  ['token:create', 'token:read'],
]);
const server = createServer((request, response) => {
  respond(request).then(
    ([status, body]) => send(response, status, body),
    (error: unknown) => send(response, 500, { title: String(error) }),
  );
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, apiKey });
});
