// Tests wait for these in place of time.

/** Lets other work of this process go on for some turns of its event loop. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn += 1)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}

/** Resolves when something is so, after as many turns as that takes. */
export async function whenever(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turns();
}
