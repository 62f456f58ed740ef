import { faultText, parseFault } from '../../src/faults/fault.ts';

it.each([
  ['dynamodb:throttle:0.3', { service: 'dynamodb', kind: 'throttle', value: 0.3 }],
  ['dynamodb/PutItem:lost-answer:1', { service: 'dynamodb', only: 'PutItem', kind: 'lost-answer', value: 1 }],
  ['kms:latency:250', { service: 'kms', kind: 'latency', value: 250 }],
  ['lambda/InvokeFunction:busy:0', { service: 'lambda', only: 'InvokeFunction', kind: 'busy', value: 0 }],
  ['sqs:delay:2000', { service: 'sqs', kind: 'delay', value: 2000 }],
  ['function/Worker:kill:0.2', { service: 'function', only: 'Worker', kind: 'kill', value: 0.2 }],
])('%s is parsed and printed again', (text, fault) => {
  expect(parseFault(text)).toEqual(fault);
  expect(faultText(parseFault(text))).toBe(text);
});

it.each([
  ['dynamodb', 'a fault is SERVICE:KIND:VALUE or SERVICE/ACTION:KIND:VALUE'],
  ['dynamodb:throttle:0.1:2', 'a fault is SERVICE:KIND:VALUE'],
  ['s3:error:1', 'there is no service s3 (dynamodb, kms, lambda, sqs, function)'],
  ['kms:duplicate:1', 'kms has no fault duplicate (throttle, error, latency, lost-answer, down)'],
  ['kms:toString:1', 'kms has no fault toString'],
  ['dynamodb/PutItems:error:1', 'dynamodb has no action PutItems ('],
  ['dynamodb/:error:1', 'there is nothing after /'],
  ['dynamodb:error:1.1', 'the value must be a probability from 0 to 1, not 1.1'],
  ['dynamodb:error:', 'the value must be a probability from 0 to 1, not '],
  ['dynamodb:error:often', 'the value must be a probability from 0 to 1, not often'],
  ['sqs:delay:-1', 'the value must be 0 to 60000 ms, not -1'],
])('%s is rejected in one line', (text, problem) => {
  expect(() => parseFault(text)).toThrow(`${text}: ${problem}`);
});
