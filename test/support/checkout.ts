import { spawn } from 'node:child_process';

/** The example of `examples/browser/`, started as its README describes. */
export interface Checkout {
  readonly origin: string;
  /** Everything that it has printed. */
  output(): string;
  stop(): Promise<void>;
}

export async function startCheckout(env: Readonly<Record<string, string>>): Promise<Checkout> {
  const child = spawn(process.execPath, ['examples/browser/server.js'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PORT: '0', ...env },
  });
  let printed = '';
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const origin = await new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      printed += chunk.toString('utf8');
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed);
      if (address !== null) resolve(address[0]);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', () => reject(new Error(`the example ended:\n${printed}`)));
  });
  return {
    origin,
    output: () => printed,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
