/** Runs an act as a step of a process, which may die before or after it. */
export type Step = <T>(act: () => T | Promise<T>) => Promise<T>;

type Method = (...input: readonly unknown[]) => unknown;

/**
 * A port with calls that are steps of a process. `streams` names methods that return an iterable,
 * unless they show it by being generators.
 */
export function inSteps<Port extends object>(
  port: Port,
  step: Step,
  streams: readonly (keyof Port)[] = [],
): Port {
  const inStep = (name: string, method: Method): Method =>
    streams.includes(name as keyof Port) || method.constructor.name === 'AsyncGeneratorFunction'
      ? async function* (...input) {
          yield* (await step(() => method(...input))) as AsyncIterable<unknown>;
        }
      : (...input) => step(() => method(...input));
  const methods = Object.entries(port as Record<string, Method>);
  return Object.fromEntries(methods.map(([name, method]) => [name, inStep(name, method)])) as Port;
}
