import { writeUnheard } from '../src/unheard.ts';

it('a failure without a listener is one line for all fields', () => {
  const write = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  for (let field = 0; field < 3; field += 1)
    writeUnheard({ code: 'frame_unavailable', message: 'No field came.' });
  writeUnheard({ code: 'wrong_service', message: 'Another.' });
  expect(write.mock.calls).toEqual([
    ['frame_unavailable', 'No field came.'],
    ['wrong_service', 'Another.'],
  ]);
});
