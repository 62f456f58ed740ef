/** Does something as a step of a process, which may die before or after it. */
export type Step = <T>(act: () => T | Promise<T>) => Promise<T>;

type Method = (...given: readonly unknown[]) => unknown;

/** A port each of whose calls is a step of a process. */
export function inSteps<Port extends object>(port: Port, step: Step): Port {
  const inStep = (method: Method): Method =>
    method.constructor.name === 'AsyncGeneratorFunction'
      ? async function* (...given) {
          yield* (await step(() => method(...given))) as AsyncIterable<unknown>;
        }
      : (...given) => step(() => method(...given));
  const methods = Object.entries(port as Record<string, Method>);
  return Object.fromEntries(methods.map(([name, method]) => [name, inStep(method)])) as Port;
}
