import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTemplate } from '../../src/assembly/read-assembly.ts';
import { deployOver } from '../../src/deployment/recorded-deployment.ts';

it('an app with none of the stacks of a data folder is refused in one line, before anything changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recorded-'));
  const app = (name: string) => [{ name, template: parseTemplate({ Resources: {} }) }];
  const record = await deployOver(folder, app('Shop-Data'));
  await record();
  await expect(deployOver(folder, app('Vault-Data'))).rejects.toThrow(
    new Error(`${folder} holds the data of another app, with the stacks Shop-Data: use another folder`),
  );
  await expect(deployOver(folder, app('Shop-Data'))).resolves.toBeDefined();
  rmSync(folder, { recursive: true });
});
