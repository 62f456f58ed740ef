/** The lines that a function writes to standard output, which receives none in the meantime. */
export async function printedLines(print: () => unknown): Promise<readonly string[]> {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  let text = '';
  stdout.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  try {
    await print();
  } finally {
    stdout.write = write;
  }
  return text.trimEnd().split('\n');
}
