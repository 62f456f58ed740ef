import { RunningWork } from '../src/running-work.ts';

/** Looks at work as often as the test says, and never by a clock. */
function looked() {
  let looks = 0;
  const during: (() => void)[] = [];
  const work = new RunningWork(() => {
    looks += 1;
    for (const each of during) each();
    return new Promise((resolve) => void setImmediate(resolve));
  });
  return { work, looks: () => looks, onLook: (each: () => void) => during.push(each) };
}

const never = new Promise<void>(() => undefined);

describe('the work of a vault', () => {
  it('rests as soon as all of it has ended', async () => {
    const { work, looks } = looked();
    await work.rests();
    expect(looks()).toBe(0);
    void work.start(() => Promise.resolve());
    await work.rests();
    expect(looks()).toBe(1);
  });

  it('does not rest before it ends, however long it takes', async () => {
    const { work, looks, onLook } = looked();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    void work.start(() => promise);
    onLook(() => {
      if (looks() === 1_000) resolve(undefined);
    });
    await work.rests();
    expect(looks()).toBe(1_000);
  });

  it('rests when it waits for a destination, 50 looks after its last step', async () => {
    const { work, looks, onLook } = looked();
    void work.start(() => work.during(never));
    onLook(() => {
      if (looks() === 30) work.step();
    });
    await work.rests();
    expect(looks()).toBe(30 + 50);
  });

  it('still rests without another look, until it does a step', async () => {
    const { work, looks } = looked();
    void work.start(() => work.during(never));
    await work.rests();
    await work.rests();
    expect(looks()).toBe(50);
    work.step();
    await work.rests();
    expect(looks()).toBe(100);
  });

  it('does not rest while other work goes on', async () => {
    const { work, looks, onLook } = looked();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    void work.start(() => work.during(never));
    void work.start(() => promise);
    onLook(() => {
      if (looks() === 200) resolve(undefined);
    });
    await work.rests();
    expect(looks()).toBe(200 + 50);
  });

  it('waits for a reactor whose vault waits for a destination', async () => {
    const { work, looks } = looked();
    void work.start(() => work.join(() => work.during(never)));
    await work.rests();
    expect(looks()).toBe(50);
  });
});
