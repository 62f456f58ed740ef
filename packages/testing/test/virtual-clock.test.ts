import { turns } from '../../test-kit/src/event-loop.ts';
import { VirtualClock } from '../src/virtual-clock.ts';

describe('a limit of a vault', () => {
  it('ends when the clock passes it, and at no other time', async () => {
    const clock = new VirtualClock(0);
    const ended: string[] = [];
    clock.startTimer(1, () => ended.push('first'));
    clock.startTimer(2, () => ended.push('second'));
    await turns(100);
    expect(ended).toEqual([]);
    clock.moveTo(1);
    expect(ended).toEqual(['first']);
  });

  it('never ends once it is cancelled, also in a vault that has ended', async () => {
    const clock = new VirtualClock(0);
    const ended: string[] = [];
    clock.startTimer(1, () => ended.push('cancelled'))();
    clock.endTimers();
    clock.startTimer(1, () => ended.push('cancelled later'))();
    clock.startTimer(1, () => ended.push('later'));
    await turns();
    expect(ended).toEqual(['later']);
  });
});
