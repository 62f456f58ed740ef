import type { Stack } from 'aws-cdk-lib';
import { EventBus, Rule, type EventPattern } from 'aws-cdk-lib/aws-events';
import { EventBus as EventBusTarget } from 'aws-cdk-lib/aws-events-targets';
import { acceptFindings } from './accept-findings.ts';

/**
 * ACM renews its certificates 45 days before their end, so that a later event is about one that it
 * cannot renew, or that was imported.
 */
const DAYS = 30;

/** ACM sends such an event each day, in the Region of the certificate. */
export const certificateEvents = (arns: readonly string[]): EventPattern => ({
  source: ['aws.acm'],
  detailType: ['ACM Certificate Approaching Expiration'],
  resources: [...arns],
  detail: { DaysToExpiry: [{ numeric: ['<=', DAYS] }] },
});

/** Sends the events of a certificate to the Region of the service, where the alarms are. */
export function forwardCertificateEvents(stack: Stack, certificateArn: string, region: string): void {
  // In one Region they would come twice, and the rule would send them to itself.
  if (stack.region === region) return;
  const bus = stack.formatArn({ service: 'events', region, resource: 'event-bus', resourceName: 'default' });
  const rule = new Rule(stack, 'CertificateEnds', {
    description: 'Sends the end of the certificate to the alarms of the service',
    eventPattern: certificateEvents([certificateArn]),
    targets: [new EventBusTarget(EventBus.fromEventBusArn(stack, 'AlarmBus', bus))],
  });
  acceptFindings(rule, {
    'Serverless-EventBusDLQ': 'ACM sends the event again on the next day.',
    'PCI.DSS.321-IAMNoInlinePolicy': 'The policy is written for the one rule that has it.',
  });
}
