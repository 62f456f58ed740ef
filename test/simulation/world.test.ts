import { createLife } from './life.ts';
import { BEGINNING, createWorld } from './world.ts';

it('things happen by their time, and at one time as they were planned', async () => {
  const world = createWorld('s');
  const happened: string[] = [];
  const note = (what: string) => () => void happened.push(`${what} ${String(world.now() - BEGINNING)}`);
  world.after(20, note('late'));
  const cancel = world.after(5, note('cancelled'));
  world.after(10, note('first'));
  world.after(10, note('second'));
  world.after(0, cancel);
  await world.run(world.pause(30));
  expect(happened).toEqual(['first 10', 'second 10', 'late 20']);
});

it('a thousand tasks happen in their order', async () => {
  const world = createWorld('s');
  const draws = world.draws('times');
  const times: number[] = [];
  for (let planned = 0; planned < 1_000; planned += 1)
    world.after(draws.between(0, 100), () => void times.push(world.now()));
  await world.run(world.pause(101));
  expect(times).toHaveLength(1_000);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

it('time stands still until code that needs none has run', async () => {
  const world = createWorld('s');
  let steps = 0;
  world.after(1, () => {
    void (async () => {
      for (let step = 0; step < 50; step += 1) {
        await Promise.resolve();
        steps += 1;
      }
    })();
  });
  let stepsAtNext = 0;
  world.after(1.001, () => void (stepsAtNext = steps));
  await world.run(world.pause(2));
  expect(stepsAtNext).toBe(50);
});

it('work that nothing will end is an error, and a failure of work is one', async () => {
  const world = createWorld('s');
  await expect(world.run(new Promise(() => undefined))).rejects.toThrow('nothing is planned');
  await expect(world.run(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

describe('the life of an instance', () => {
  it('holds what happens while it is frozen, until it thaws', async () => {
    const world = createWorld('s');
    const life = createLife(world, 'i', 500);
    const times: number[] = [];
    life.after(10, () => void times.push(life.clock() - BEGINNING));
    life.after(90, () => void times.push(life.clock() - BEGINNING));
    life.freeze();
    world.after(50, life.thaw);
    await world.run(world.pause(100));
    expect(times).toEqual([550, 590]);
  });

  it('ends with everything that was planned for it', async () => {
    const world = createWorld('s');
    const life = createLife(world, 'i', 0);
    let happened = 0;
    life.after(10, () => void (happened += 1));
    life.after(30, () => void (happened += 1))();
    life.freeze();
    world.after(20, life.die);
    world.after(25, life.thaw);
    life.after(40, () => void (happened += 1));
    await world.run(world.pause(100));
    expect([happened, life.isDead()]).toEqual([0, true]);
  });
});
