import { Command, Option } from 'commander';
import { UsageError } from '../command-line/failures.ts';
import { filled } from '../command-line/values.ts';
import type { CreateCommand } from '../command-line/surroundings.ts';
import type { ReceiverFlags } from './run-receiver.ts';

function portOf(text: string): string {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return text;
  throw new UsageError(`--port must be a number from 1 to 65535, not ${text}`);
}

export const receiverCommand: CreateCommand = ({ print }, failed) => {
  const command = new Command('receiver')
    .usage('[options]')
    .addOption(new Option('--port <N>', 'port of the receiver (default 8443)').argParser(portOf))
    .addOption(
      new Option(
        '--credentials <FILE>',
        'the credentials file of the service (default .local/credentials.json)',
      ).argParser(filled('credentials')),
    );
  return command.action(async () => {
    const { runReceiver } = await import('./run-receiver.ts');
    if ((await runReceiver(command.opts<ReceiverFlags>(), print)) !== 0) failed();
  });
};
