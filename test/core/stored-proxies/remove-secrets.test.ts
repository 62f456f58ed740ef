import { scrubbed } from '../../../src/core/stored-proxies/exchange.ts';
import type { Message } from '../../../src/core/stored-proxies/message.ts';

const anAnswer = (text: string): Message => ({
  method: 'GET',
  path: '',
  status: 200,
  headers: [],
  ownHeaders: [],
  deferred: [],
  body: Buffer.from(text),
});

it('a body that no transform changed is searched once for secrets, a changed one again', () => {
  const searched: string[] = [];
  const remover = {
    text: (text: string) => text,
    bytes: (bytes: Buffer) => {
      searched.push(bytes.toString());
      return bytes;
    },
    namesIn: () => new Set<string>(),
  };
  const clean = scrubbed(anAnswer('as sent'), remover);
  expect(scrubbed(clean, remover, {}, clean.body)).toEqual(clean);
  expect(searched).toEqual(['as sent']);
  scrubbed(anAnswer('as changed'), remover, {}, clean.body);
  expect(searched).toEqual(['as sent', 'as changed']);
});
