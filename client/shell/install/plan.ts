import { UsageError } from '../usage_error.ts';
import { configLines, divideConfig, functionsInConfig, withConfigLines } from './config_lines.ts';
import { hashOf, isNewer, MANIFEST, type Manifest, manifestText, parseManifest } from './manifest.ts';
import { functionsOf, type ProjectRelease } from './release.ts';
import type { TargetProject } from './target_project.ts';

/** A change of one file. */
export interface FileChange {
  /** `keep`: the file was edited, and the release does not change it. */
  action: 'add' | 'replace' | 'delete' | 'keep';
  path: string;
  /** The whole new text of a file to add or replace. */
  text?: string;
}

interface InstallPlan {
  /** The installed version; undefined if there is none. */
  former: string | undefined;
  /** The changes in the order in which they are made. */
  changes: FileChange[];
  /** The migrations of the project that are later than an added one. */
  laterMigrations: string[];
}

/** The most faults that an error lists. */
const MAX_FAULTS = 12;

/** Something that an installation writes: a file, or its lines in config.toml. */
interface Piece {
  /** The hash of what the installed version wrote. */
  recorded: string | undefined;
  current: string | undefined;
  wanted: string | undefined;
}

/** Decides what to do with a piece; undefined for nothing. */
function decide({ recorded, current, wanted }: Piece): FileChange['action'] | 'edited' | 'clash' | undefined {
  const isWanted = wanted !== undefined && current !== undefined && hashOf(current) === hashOf(wanted);
  if (isWanted || (wanted === undefined && current === undefined)) return undefined;
  if (current === undefined) return 'add';
  if (recorded === undefined) return 'clash';
  if (hashOf(current) === recorded) return wanted === undefined ? 'delete' : 'replace';
  return wanted !== undefined && hashOf(wanted) === recorded ? 'keep' : 'edited';
}

const versionOf = (migration: string): string => /^migrations\/(\d+)_/.exec(migration)?.[1] ?? '';

/** Finds functions and migrations of the project that stand where the release would put its own. */
function findClashes(release: ProjectRelease, manifest: Manifest | undefined, project: TargetProject): string[] {
  const isOurs = (path: string) => manifest?.files[path] !== undefined || release.files.has(path);
  const folders = new Set([...release.files.keys()].flatMap((path) => /^functions\/[^/]+/.exec(path)?.[0] ?? []));
  const functions = [...folders].flatMap((folder) => {
    const isInstalled = Object.keys(manifest?.files ?? {}).some((path) => path.startsWith(`${folder}/`));
    const others = isInstalled ? [] : project.list(folder).filter((path) => !isOurs(path));
    return others.length === 0 ? [] : [`supabase/${folder} is another function: it has ${others[0]}.`];
  });
  const versions = new Set([...release.files.keys()].map(versionOf));
  const migrations = project.list('migrations').filter((path) =>
    versionOf(path) !== '' && versions.has(versionOf(path)) && !isOurs(path)
  );
  return [...functions, ...migrations.map((path) => `supabase/${path} has the version of another migration.`)];
}

/** The hint of an error, if a project has lines of an installation, but no manifest. */
const LOST_MANIFEST = `supabase/${MANIFEST} is missing, which tells what an earlier \`flows install\` wrote. ` +
  'Restore it from version control.';

function refuse(why: string, faults: string[], remedy: string): never {
  const rest = faults.length - MAX_FAULTS;
  const shown = rest > 0 ? [...faults.slice(0, MAX_FAULTS), `… and ${rest} more`] : faults;
  throw new UsageError([why, ...shown, remedy].join('\n'));
}

/** Decides what to do with the lines of config.toml. */
function planConfig(
  text: string,
  functions: string[],
  recorded: string | undefined,
): { action: ReturnType<typeof decide>; changed: string; clashes: string[] } {
  functionsInConfig(text);
  const divided = divideConfig(text);
  const others = functionsInConfig(divided.before + divided.after);
  const clashes = functions.filter((name) => others.includes(name));
  const lines = configLines(functions);
  const action = decide({ recorded, current: divided.lines, wanted: lines });
  return {
    action,
    changed: clashes.length > 0 ? text : withConfigLines(divided, lines),
    clashes: clashes.map((name) => `supabase/config.toml has an entry [functions.${name}].`),
  };
}

/** What is to be done with a file, and its text in the release. */
interface Decision {
  path: string;
  action: ReturnType<typeof decide>;
  text: string | undefined;
}

/** Returns the change that follows from a decision; undefined for none. */
function changeOf({ path, action, text }: Decision, force: boolean): FileChange | undefined {
  if (action === undefined || action === 'clash') return undefined;
  const isReplaced = action === 'edited' || (action === 'keep' && force);
  const real = !isReplaced ? action : text === undefined ? 'delete' : 'replace';
  return {
    // The file exists; only the lines of the installation are added.
    action: path === 'config.toml' && real === 'add' ? 'replace' : real,
    path,
    ...(text !== undefined && { text }),
  };
}

/** Makes the record of an installation of a release. */
const recordOf = (release: ProjectRelease, functions: string[]): Manifest => ({
  version: release.version,
  files: Object.fromEntries([...release.files].map(([path, text]) => [path, hashOf(text)] as const).toSorted()),
  config: hashOf(configLines(functions)),
});

/** Returns the change of the record; none if it stays the same. */
function changesOfRecord(current: string | undefined, record: Manifest): FileChange[] {
  const text = manifestText(record);
  const action = decide({ recorded: current && hashOf(current), current, wanted: text });
  return action === 'add' || action === 'replace' ? [{ action, path: MANIFEST, text }] : [];
}

/** Lists the migrations of the project that are later than an added one. */
function laterMigrationsOf(release: ProjectRelease, project: TargetProject, changes: FileChange[]): string[] {
  const added = changes.flatMap(({ action, path }) => action === 'add' ? versionOf(path) || [] : []);
  return project.list('migrations').filter((path) =>
    !release.files.has(path) && added.some((version) => version < versionOf(path))
  );
}

/**
 * Compares a project with a release and its record of an earlier installation. Throws a UsageError if the release
 * can't be installed. If `force` is true, files of the installation that were edited are replaced.
 */
export function planInstall(release: ProjectRelease, project: TargetProject, force: boolean): InstallPlan {
  const recordedText = project.read(MANIFEST);
  const manifest = recordedText === undefined ? undefined : parseManifest(recordedText);
  if (manifest !== undefined && isNewer(manifest.version, release.version)) {
    throw new UsageError(
      `The project has version ${manifest.version}, which is newer than ${release.version}. Use that version of flows.`,
    );
  }
  const functions = functionsOf(release);
  const config = planConfig(project.read('config.toml')!, functions, manifest?.config);
  const paths = [...new Set([...release.files.keys(), ...Object.keys(manifest?.files ?? {})])].toSorted();
  const decisions = paths.map((path): Decision => {
    const wanted = release.files.get(path);
    const action = decide({ recorded: manifest?.files[path], current: project.read(path), wanted });
    return { path, action, text: wanted };
  });
  decisions.push({ path: 'config.toml', action: config.action, text: config.changed });

  const clashes = [
    ...findClashes(release, manifest, project),
    ...decisions.filter(({ action }) => action === 'clash').map(({ path }) => `supabase/${path} exists already.`),
    ...config.clashes,
  ];
  if (clashes.length > 0) {
    refuse(
      'The project has things of its own with names that the installation needs:',
      clashes,
      manifest === undefined && divideConfig(project.read('config.toml')!).lines !== undefined
        ? LOST_MANIFEST
        : 'Rename or remove them, and repeat the command.',
    );
  }
  const edited = decisions.filter(({ action }) => action === 'edited');
  if (edited.length > 0 && !force) {
    refuse(
      'Files of the installation were edited, and this version changes them:',
      edited.map(({ path }) => `supabase/${path}`),
      'Undo these edits, or let --force replace them: the edits are lost then.',
    );
  }
  const changes = decisions.flatMap((decision) => changeOf(decision, force) ?? []);
  // The record comes last. If an installation is interrupted, a repetition finds all files as they were or as they
  // are wanted.
  changes.push(...changesOfRecord(recordedText, recordOf(release, functions)));
  return { former: manifest?.version, changes, laterMigrations: laterMigrationsOf(release, project, changes) };
}
