import { Metrics } from '@aws-lambda-powertools/metrics';
import { madeOnce } from '../core/shared/made-once.ts';
import type { Print } from './request-log.ts';

/**
 * Metrics in CloudWatch's embedded metric format: log lines that become metrics. The first use
 * creates them, and so loads the library (tools/assets/bundle.ts).
 */
export function printedMetrics(print: Print, namespace: string, serviceName: string): () => Metrics {
  return madeOnce(() => {
    class PrintedMetrics extends Metrics {
      override publishStoredMetrics(): this {
        if (this.hasStoredMetrics()) print(JSON.stringify(this.serializeMetrics()));
        this.clearMetrics();
        this.clearDimensions();
        this.clearMetadata();
        return this;
      }
    }
    return new PrintedMetrics({ namespace, serviceName });
  });
}
