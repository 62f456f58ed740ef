import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Runs a program that gets signals, since a signal of this process would end the tests. */
function run(body: string) {
  const url = pathToFileURL(resolve('bin/export/stop-signal.ts')).href;
  const program = `
    const { withStopSignal } = await import(${JSON.stringify(url)});
    const signal = (name) => process.kill(process.pid, name);
    const alive = setInterval(() => undefined, 1000);
    ${body}
    clearInterval(alive);`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  return { out: stdout.trim(), signal };
}

describe('a signal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('rejects the promise of the work: %s', (name) => {
    const body = `
      const work = (stopped) => { signal('${name}'); return stopped; };
      await withStopSignal(work).catch(({ message }) => console.log(message));`;
    expect(run(body)).toEqual({ out: `stopped by ${name}`, signal: null });
  });

  it('ends the process if it is the second one', () => {
    const body = `
      const work = (stopped) => { signal('SIGINT'); return stopped.catch(() => { signal('SIGINT'); return new Promise(() => undefined); }); };
      await withStopSignal(work);`;
    expect(run(body)).toEqual({ out: '', signal: 'SIGINT' });
  });

  it('ends the process as usual after the work', () => {
    const body = `
      await withStopSignal(() => Promise.resolve());
      signal('SIGTERM');
      await new Promise(() => undefined);`;
    expect(run(body)).toEqual({ out: '', signal: 'SIGTERM' });
  });
});
