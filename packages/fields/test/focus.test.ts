/** The compiler knows no document here: it must not follow this path to the module. */
const FILE: string = '../src/frame/focus.ts';
let watchFocus: (input: object, changed: (hasFocus: boolean) => void) => { focus(): void; blur(): void };
beforeAll(async () => {
  ({ watchFocus } = (await import(FILE)) as { readonly watchFocus: typeof watchFocus });
});

/** A frame with one input. `takes` is whether a program may focus the input, as not in WebKit. */
function aFrame({ takes = true, hasFocus = true, disabled = false } = {}) {
  const heard = new Map<string, (event: object) => void>();
  const frames: (() => void)[] = [];
  const changes: boolean[] = [];
  let focused = 0;
  let active: object | undefined;
  const input = {
    disabled,
    addEventListener: (name: string, listener: (event: object) => void) =>
      void heard.set(`input ${name}`, listener),
    focus: () => {
      focused += 1;
      if (takes) active = input;
    },
    blur: () => (active = undefined),
  };
  const document = {
    body: { toggleAttribute: () => undefined },
    hasFocus: () => hasFocus,
    get activeElement() {
      return active;
    },
  };
  Object.assign(globalThis, {
    document,
    addEventListener: (name: string, listener: (event: object) => void) => void heard.set(name, listener),
    requestAnimationFrame: (draw: () => void) => void frames.push(draw),
  });
  const focus = watchFocus(input, (has) => changes.push(has));
  return {
    focus,
    changes,
    focused: () => focused,
    draw: () => frames.splice(0).forEach((frame) => frame()),
    hear: (name: string, event: object = {}) => heard.get(name)?.(event),
    input,
  };
}

afterAll(() => {
  for (const name of ['document', 'addEventListener', 'requestAnimationFrame'])
    Reflect.deleteProperty(globalThis, name);
});

describe('a field whose frame a program cannot focus', () => {
  it('has the focus from the wish of its page on, and takes it with the first key', () => {
    const { focus, changes, draw, focused, hear } = aFrame({ takes: false });
    focus.focus();
    expect([changes, focused()]).toEqual([[true], 1]);
    draw();
    expect(focused()).toBe(2);
    hear('keydown');
    expect([changes, focused()]).toEqual([[true], 3]);
    focus.blur();
    expect(changes).toEqual([true, false]);
    hear('focus');
    hear('keydown');
    expect([changes, focused()]).toEqual([[true, false], 3]);
  });

  it('has it when the frame gets it later, and not while it is disabled', () => {
    const without = aFrame({ takes: false, hasFocus: false });
    without.focus.focus();
    without.hear('focus');
    expect(without.changes).toEqual([]);
    const disabled = aFrame({ takes: false, disabled: true });
    disabled.focus.focus();
    disabled.hear('focus');
    expect(disabled.changes).toEqual([]);
  });
});

it('takes the focus back when another frame took it, and not when the person moved on', () => {
  const { focus, changes, draw, focused, hear } = aFrame({ takes: false });
  focus.focus();
  hear('input focus');
  hear('input blur');
  draw();
  expect([changes, focused()]).toEqual([[true, false], 2]);
  focus.focus();
  hear('input focus');
  hear('keydown', { key: 'Tab' });
  const before = focused();
  hear('input blur');
  draw();
  expect([changes, focused()]).toEqual([[true, false, true, false], before]);
});

it('reports each change once', () => {
  const { changes, hear } = aFrame();
  for (const name of ['input focus', 'input focus', 'input blur', 'blur', 'input focus']) hear(name);
  expect(changes).toEqual([true, false, true]);
});

it('gives the focus to the input for a press beside it, and leaves one in it alone', () => {
  const { focused, hear, input } = aFrame();
  const preventDefault = jest.fn();
  hear('mousedown', { target: input, preventDefault });
  expect([focused(), preventDefault.mock.calls.length]).toEqual([0, 0]);
  hear('mousedown', { target: {}, preventDefault });
  expect([focused(), preventDefault.mock.calls.length]).toEqual([1, 1]);
});
