import type { IsDue } from '../schedules/parse-schedule.ts';

/** A plan with the tables that it copies, which its selections add. */
export interface BackupPlan {
  readonly id: string;
  readonly rules: readonly BackupRule[];
  readonly tableArns: string[];
}

export interface BackupRule {
  readonly vault: string;
  readonly isDue: IsDue;
  readonly deleteAfterDays: number | undefined;
  /** ARNs of vaults in other accounts or Regions, which no local account has. */
  readonly copiesTo: readonly string[];
}

/** The templates define these for AWS Backup. */
export interface BackupDefinitions {
  readonly vaults: Set<string>;
  readonly plans: Map<string, BackupPlan>;
}

export const backupDefinitions = (): BackupDefinitions => ({ vaults: new Set(), plans: new Map() });
