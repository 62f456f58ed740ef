import { randomUUID } from 'node:crypto';
import type { ReactorFunctions } from '../../src/core/reactors/reactor-functions.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { LAYER } from '../support/fakes/reactor-functions.ts';

const code = (text: string) => ({ code: new Secret(`module.exports = () => ${text};`) });

const TENANT = randomUUID();

const node16 = (id: string) => ({ tenantId: TENANT, id, image: 'node16' as const });

/** Tests what all {@link ReactorFunctions} must do. */
export function reactorFunctionsContract(name: string, make: () => ReactorFunctions): void {
  describe(`the contract of the functions of reactors, ${name}`, () => {
    it('points live at the first version, and at another one on request', async () => {
      const functions = make();
      const id = randomUUID();
      expect(await functions.isCurrent(node16(id), '1')).toBe(false);
      const { functionVersion: first } = await functions.create(node16(id), code('1'));
      expect(await functions.isCurrent(node16(id), first)).toBe(true);
      const { functionVersion: second } = await functions.publish(node16(id), code('2'));
      expect([
        await functions.isCurrent(node16(id), first),
        await functions.isCurrent(node16(id), second),
      ]).toEqual([true, false]);
      expect(await functions.pointLive(id, second)).toBe('moved');
      expect([
        await functions.isCurrent(node16(id), first),
        await functions.isCurrent(node16(id), second),
      ]).toEqual([false, true]);
    });

    it('creates a function again with its existing version', async () => {
      const functions = make();
      const id = randomUUID();
      const { functionVersion: version } = await functions.create(node16(id), code('1'));
      expect((await functions.create(node16(id), code('1'))).functionVersion).toBe(version);
      expect(await functions.isCurrent(node16(id), version)).toBe(true);
    });

    it('names the layer that a version was made on', async () => {
      const functions = make();
      const reactor = node16(randomUUID());
      const layer = { image: 'node16', generation: 1, hash: LAYER.hash };
      expect(await functions.create(reactor, code('1'))).toEqual({ functionVersion: '1', layer });
      expect(await functions.publish(reactor, code('2'))).toEqual({ functionVersion: '2', layer });
    });

    it('moves to the layer of another image in a new version of the same code, and back', async () => {
      const functions = make();
      const reactor = node16(randomUUID());
      const moved = { ...reactor, image: 'node24' as const };
      const { functionVersion: first } = await functions.create(reactor, code('1'));
      const { functionVersion: second, layer } = await functions.publish(moved, code('1'));
      expect([second === first, layer.image]).toEqual([false, 'node24']);
      await functions.pointLive(reactor.id, second);
      expect([await functions.isCurrent(moved, second), await functions.isCurrent(reactor, second)]).toEqual([
        true,
        false,
      ]);
      const back = await functions.publish(reactor, code('1'));
      expect([back.functionVersion === second, back.layer.image]).toEqual([false, 'node16']);
    });

    it('creates a missing function on publication, and live on pointing', async () => {
      const functions = make();
      const id = randomUUID();
      expect(await functions.pointLive(id, '1')).toBe('gone');
      const { functionVersion: version } = await functions.publish(node16(id), code('1'));
      expect(await functions.pointLive(id, '7')).toBe('gone');
      expect(await functions.isCurrent(node16(id), version)).toBe(false);
      expect(await functions.pointLive(id, version)).toBe('made');
      expect(await functions.pointLive(id, version)).toBe('moved');
      expect(await functions.isCurrent(node16(id), version)).toBe(true);
    });

    it('removes every version but one, also a second time', async () => {
      const functions = make();
      const id = randomUUID();
      const other = randomUUID();
      const { functionVersion: existing } = await functions.create(node16(other), code('1'));
      const { functionVersion: first } = await functions.create(node16(id), code('1'));
      const { functionVersion: second } = await functions.publish(node16(id), code('2'));
      await functions.pointLive(id, second);
      for (let times = 0; times < 2; times += 1) await functions.removeOtherVersions(id, second);
      expect(await functions.pointLive(id, first)).toBe('gone');
      expect(await functions.isCurrent(node16(id), second)).toBe(true);
      expect(await functions.isCurrent(node16(other), existing)).toBe(true);
    });

    it('removes a function with all of its versions, also a second time', async () => {
      const functions = make();
      const id = randomUUID();
      const { functionVersion: version } = await functions.create(node16(id), code('1'));
      for (let times = 0; times < 2; times += 1) await functions.remove(id);
      expect(await functions.isCurrent(node16(id), version)).toBe(false);
      expect(await functions.pointLive(id, version)).toBe('gone');
    });
  });
}
