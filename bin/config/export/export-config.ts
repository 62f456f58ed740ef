export interface ExportFlags {
  readonly to: string;
}
export async function runExport(_flags: ExportFlags, _surroundings: unknown): Promise<void> {
  await Promise.resolve();
}
