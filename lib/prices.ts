/**
 * List prices of us-east-1 in US dollars, as of 2026, on demand, without free tiers and discounts.
 */
export const PRICES = {
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  /**
   * Applies to tables of the class Standard-Infrequent Access, such as those of the audit trail.
   */
  infrequent: { writeUnit: 0.78e-6, readUnit: 0.155e-6, warmWriteUnit: 0.81e-3, storedGigabyte: 0.1 },
  /** Charged for a gigabyte and month of indexes and of tables of the class Standard. */
  storedGigabyte: 0.25,
  /** Charged for point-in-time recovery, a gigabyte and month. */
  recoverableGigabyte: 0.2,
  /** Charged for a backup on demand, a gigabyte and month. */
  backupGigabyte: 0.1,
  /** Once, for each unit a second that a table or an index is to serve beyond a new one. */
  warm: { writeUnit: 0.65e-3, readUnit: 0.13e-3 },
  lambdaRequest: 0.2e-6,
  /** A price that applies to arm64. */
  gigabyteSecond: 13.3334e-6,
  /** Provisioned concurrency, a gigabyte and second. */
  provisionedGigabyteSecond: { arm64: 3.3334e-6, x86_64: 4.1667e-6 },
  /** HTTP API, metered by 512 KB. */
  gatewayRequest: 1e-6,
  /** CloudFront, in North America and Europe. */
  edge: { request: 1e-6, gigabyte: 0.085 },
  /** AWS WAF, for each request that it looks at, refused ones too. */
  webAclRequest: 0.6e-6,
  kmsRequest: 3e-6,
  /** Charged for a signature with an asymmetric ECC key. */
  kmsSignature: 15e-6,
  /** Applies to standard queues. */
  sqsRequest: 0.4e-6,
  /** Charged for ingestion into CloudWatch Logs, in the first tier. */
  logGigabyte: 0.5,
  storedLogGigabyte: 0.03,
  /** Charged for each trace that X-Ray records. */
  trace: 5e-6,
  month: {
    /** Each KMS key: a replica in another Region is one too. */
    key: 1,
    /** Added by the first and by the second rotation of a key; later ones cost nothing. */
    keyRotation: 1,
    /** An alarm is charged for each metric of its expression. */
    alarmMetric: 0.1,
    customMetric: 0.3,
    dashboard: 3,
    secret: 0.4,
    webAcl: 5,
    webAclRule: 1,
  },
} as const;
