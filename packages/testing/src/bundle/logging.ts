/*
 * Replaces the libraries of logs and metrics in the bundle (tools/build-testing.ts). A vault has
 * the lines of requests, and no metrics.
 */
interface Formatter {
  formatAttributes(
    attributes: { readonly logLevel: string; readonly timestamp: Date },
    logged: Readonly<Record<string, unknown>>,
  ): LogItem;
}

export abstract class LogFormatter {
  abstract formatAttributes(...args: Parameters<Formatter['formatAttributes']>): LogItem;
}

export class LogItem {
  readonly #attributes: Record<string, unknown>;

  constructor({ attributes }: { readonly attributes: Readonly<Record<string, unknown>> }) {
    this.#attributes = { ...attributes };
  }

  addAttributes(attributes: Readonly<Record<string, unknown>>): this {
    Object.assign(this.#attributes, attributes);
    return this;
  }

  prepareForPrint(): void {
    for (const [name, value] of Object.entries(this.#attributes))
      if (value === undefined) Reflect.deleteProperty(this.#attributes, name);
  }

  getAttributes(): Readonly<Record<string, unknown>> {
    return this.#attributes;
  }
}

/** The subclass of src/lambda/request-log.ts prints. */
export abstract class Logger {
  readonly #formatter: Formatter;

  constructor({ logFormatter }: { readonly logFormatter: Formatter }) {
    this.#formatter = logFormatter;
  }

  abstract printLog(level: number, item: LogItem): void;

  getJsonReplacer(): undefined {
    return undefined;
  }

  #log(logLevel: string, fields: Readonly<Record<string, unknown>>): void {
    this.printLog(0, this.#formatter.formatAttributes({ logLevel, timestamp: new Date() }, fields));
  }

  info(_message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#log('INFO', fields);
  }

  warn(_message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#log('WARN', fields);
  }

  error(_message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#log('ERROR', fields);
  }
}

export const MetricUnit = { Count: 'Count', Seconds: 'Seconds', Milliseconds: 'Milliseconds' } as const;

export class Metrics {
  addMetric(): void {}
  addDimension(): void {}
  addMetadata(): void {}
  hasStoredMetrics(): boolean {
    return false;
  }
  serializeMetrics(): object {
    return {};
  }
  clearMetrics(): void {}
  clearDimensions(): void {}
  clearMetadata(): void {}
  publishStoredMetrics(): void {}
}
