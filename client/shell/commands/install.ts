import { makeChanges } from '../install/make_changes.ts';
import { type FileChange, planInstall } from '../install/plan.ts';
import { SHARED_CODE } from '../install/release.ts';
import { openProject } from '../install/target_project.ts';
import type { LocalCommand } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';

/** Formats the changes, one line each. The parts of the shared code have one line for each action. */
function describeChanges(changes: readonly FileChange[]): string[] {
  const lines = new Map<string, number>();
  for (const { action, path } of changes) {
    const shared = `functions/${SHARED_CODE}/`;
    const what = `${action.padEnd(8)} supabase/${path.startsWith(shared) ? shared : path}`;
    lines.set(what, (lines.get(what) ?? 0) + 1);
  }
  return [...lines].map(([what, count]) => what.endsWith('/') ? `${what} (${count} files)` : what);
}

export const install: LocalCommand = {
  name: 'install',
  arguments: '[<folder>]',
  count: [0, 1],
  summary: 'Add the schema and functions to a Supabase project, or upgrade them.',
  notes: [
    'The folder is that of another project, with supabase/config.toml in it; by default the present one.',
    'The command writes migrations, Edge Functions and their entries of config.toml, and prints each change.',
    'supabase/flows.json records what it wrote, so that the same command of a later version upgrades it: commit this ' +
    'file.',
    'If the project has a function, migration or entry of its own with such a name, nothing is changed.',
    'Edits of installed files are kept if the new version does not change these files. Otherwise nothing is changed.',
  ],
  options: [
    { name: 'dry-run', meaning: 'Print the changes, and change nothing.' },
    { name: 'force', meaning: 'Replace installed files also if they were edited. Files of the project always stay.' },
  ],
  example: 'flows install ../shop --dry-run',
  isLocal: true,
  run: async ({ screen, isJson, readRelease }, { positionals: [folder = '.'], has }) => {
    const project = openProject(folder);
    screen.progress('bundling the functions');
    const release = await readRelease();
    const { former, changes, laterMigrations } = planInstall(release, project, has('force'));
    const isDryRun = has('dry-run');
    if (!isDryRun) makeChanges(project, changes);
    if (isJson) {
      return await screen.print(printableJson({
        folder: project.dir,
        version: release.version,
        former_version: former ?? null,
        dry_run: isDryRun,
        changes: changes.map(({ action, path }) => ({ action, path: `supabase/${path}` })),
      }));
    }
    for (const line of describeChanges(changes)) await screen.print(printableLine(line));
    const isChanged = changes.some(({ action }) => action !== 'keep');
    if (changes.some(({ action }) => action === 'keep')) {
      screen.note('Files after "keep" were edited, and this version does not change them. --force undoes the edits.');
    }
    const isUpgrade = former !== undefined && former !== release.version;
    const versions = `${release.version}${isUpgrade ? ` (was ${former})` : ''}`;
    if (!isChanged) return await screen.print(printableLine(`${project.dir} has version ${versions} already.`));
    if (isDryRun) return screen.note('This was a dry run: nothing is changed.');
    screen.note(printableLine(`Installed version ${versions} in ${project.dir}. Next, in that folder:`));
    screen.note(`  npx supabase db push --remote${laterMigrations.length > 0 ? ' --include-all' : ''}`);
    screen.note('  npx supabase functions deploy --use-api');
    if (laterMigrations.length > 0) {
      screen.note('--include-all is necessary because the project has later migrations than the added ones.');
    }
    if (former === undefined) {
      screen.note('The functions also need the secret WALLET_KEYS, and the runner a schedule: docs/guides/hosted.md.');
    }
  },
};
