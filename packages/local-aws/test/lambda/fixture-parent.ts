// A process that keeps one instance of a custom runtime running, with a stopped process of its own,
// prints the ids of both, and waits for a kill.
import { createProcessHost } from '../../src/lambda/custom-runtime/process-host.ts';
import { createLayerTable } from '../../src/lambda/layer-table.ts';
import { aZip } from './a-zip.ts';

const [layerDirectory = ''] = process.argv.slice(2);
const layers = createLayerTable();
layers.define({ arn: 'layer', directory: layerDirectory });
const host = createProcessHost({
  region: 'us-east-1',
  credentialsFor: () => ({ accessKeyId: 'a', secretAccessKey: 's', sessionToken: 't' }),
  mayWriteLogs: () => false,
  log: () => undefined,
  layers,
});
host.start('http://127.0.0.1:1');
const invocation = { requestId: 'r', payload: '{}', invokedFunctionArn: 'arn' };
const version = {
  functionName: 'orphan',
  version: '1',
  key: '1',
  reserved: 0,
  zip: () =>
    aZip(`async (event) => {
      if (event.busy) for (;;);
      const idle = require('node:child_process').spawn('sleep', ['1000'], { stdio: 'ignore' });
      idle.kill('SIGSTOP');
      return [process.pid, idle.pid];
    }`),
  settings: {
    codeSha256: '',
    codeSize: 0,
    role: 'role',
    runtime: 'provided.al2023',
    handler: '',
    timeoutSeconds: 60,
    memoryMb: 512,
    architectures: [],
    layers: ['layer'],
    environment: {},
    ephemeralStorageMb: 512,
    logGroup: 'group',
    description: '',
  },
};
const { payload } = await host.invoke(version, invocation);
void host.invoke(version, { ...invocation, payload: '{"busy":true}' });
process.stdout.write(`${payload}\n`);
// Nothing has the work folder open: only a signal ends this.
setInterval(() => undefined, 1000);
