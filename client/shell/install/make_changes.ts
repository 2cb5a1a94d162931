import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileChange } from './plan.ts';
import type { TargetProject } from './target_project.ts';

/** Removes a folder if it is empty. */
function removeIfEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/**
 * Makes the changes in their order. First checks all places and writes all texts to a folder beside them, so that a
 * fault or a full disk changes nothing.
 */
export function makeChanges(project: TargetProject, changes: readonly FileChange[]): void {
  const made = changes.filter(({ action }) => action !== 'keep')
    .map(({ path, text }) => ({ file: project.fileToWrite(path), text }));
  // The folder is on the same disk as the files, so a rename replaces a file in one step.
  const staging = mkdtempSync(join(dirname(project.fileToWrite('config.toml')), '.flows-install-'));
  try {
    const staged = made.map(({ file, text }, index) => ({ file, text, draft: join(staging, String(index)) }));
    for (const { text, draft } of staged) if (text !== undefined) writeFileSync(draft, text);
    for (const { file, text, draft } of staged) {
      if (text === undefined) {
        rmSync(file, { force: true });
        removeIfEmpty(dirname(file));
      } else {
        mkdirSync(dirname(file), { recursive: true });
        renameSync(draft, file);
      }
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
