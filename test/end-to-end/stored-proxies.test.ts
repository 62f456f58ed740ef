// Tests what an operator does to stored proxies. test/interface/stored-proxies.test.ts has what a
// caller sees.
import { allItems } from '../support/aws.ts';
import { operatorOf } from '../support/operator.ts';
import { call, client, credentials, describeNeeding, openDestination } from '../support/service.ts';

const SECRET = 'sk_live_9aB8cD7eF6gH5iJ4';

describeNeeding('openDestination', 'the operator', () => {
  it('encrypts proxies again under a new data key, and destroys them with their tenant', async () => {
    const destination = await openDestination();
    const made = await operatorOf(credentials, { command: 'create-tenant', name: 'Another' });
    const tenant_id = String(made['tenant_id']);
    const own = client(String(made['management_key']));
    const { body: app } = await own.post('/applications', {
      name: 'x',
      type: 'private',
      permissions: ['token:use'],
    });
    const { body: proxy } = await own.post('/proxies', {
      name: 'x',
      destination_url: `https://localhost:${String(destination.port)}`,
      configuration: { SECRET },
      request_transforms: [{ type: 'append_header', name: 'X-Secret', value: '{{ configuration.SECRET }}' }],
    });
    await own.patch(`/proxies/${proxy.id as string}`, { name: 'y' });
    await operatorOf(credentials, { command: 'rotate-keys', tenant_id });
    const counted = await operatorOf(credentials, { command: 'reencrypt', tenant_id });
    expect(counted).toMatchObject({ reencrypted: 1, left: 0 });
    expect(await operatorOf(credentials, { command: 'reencrypt', tenant_id })).toMatchObject({
      reencrypted: 0,
    });
    const through = () => call(app.key, 'POST', '/proxy', { headers: { 'SVC-PROXY-KEY': proxy.key } });
    expect((await through()).status).toBe(200);
    expect(destination.received[0]?.headers['x-secret']).toBe(SECRET);
    expect((await own.get(`/proxies/${proxy.id as string}/versions`)).body).toHaveLength(2);
    for (let isDone = false; !isDone;) {
      const step: Record<string, unknown> = await operatorOf(credentials, {
        command: 'destroy-tenant',
        tenant_id,
        confirm: tenant_id,
      });
      isDone = step['done'] === true;
    }
    expect((await through()).status).toBe(401);
    const left = (await allItems(credentials)).filter(({ pk }) => pk?.S?.startsWith(tenant_id) === true);
    expect(left.filter(({ sk }) => sk?.S?.startsWith('proxy') === true)).toEqual([]);
  });
});
