import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Cluster, createDatabase, withScratchCluster } from '../stack/postgres/cluster.ts';
import { runCommand } from '../stack/command.ts';
import { migrationFiles } from '../stack/migrations.ts';
import { denoBinary, functionNames } from '../stack/functions.ts';
import { projectDir } from '../stack/paths.ts';
import { connect } from '../stack/postgres/postgres.ts';
import { StackError } from '../stack/stack_error.ts';
import { generatedDocs, type GeneratedFile } from '../docs/docs.ts';
import { importMap, importMapFile } from './import_map.ts';
import { checkImports, checkRows, type Source, sourcesWithImportRules } from './imports.ts';
import { toolsDir } from '../tools/tools.ts';
import { hasAllPlatforms } from './lock_platforms.ts';
import { staleAssets } from '../script/assets.ts';
import { openapiDocument, openapiFile } from '../docs/openapi.ts';
import { checkFolders } from './folders.ts';
import { checkMultigres } from './multigres.ts';
import { checkTypeNames } from './type_names.ts';
import { checkPatterns, filePatterns, filesWithPatterns } from './patterns.ts';
import { generatedSql } from '../database/generated_sql.ts';
import { checkReleases, readReleases, type SchemaRelease } from '../database/releases.ts';
import {
  createDeclaredDatabase,
  createMigratedDatabase,
  databaseTypesFile,
  declaredFiles,
  diffDatabases,
  generateTypes,
  readAdvice,
} from '../database/schema.ts';

/** A check. If it finds a fault, `run` throws a StackError that describes the fault. */
interface Check {
  name: string;
  run: () => Promise<void>;
}

async function runProgram(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  await runCommand(command, args, {
    name: basename(command),
    cwd: projectDir,
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
}

const program = (name: string) => join(projectDir, 'node_modules/.bin', name);

/**
 * Proves that a check can fail, by running it on a known mistake. The checks that the project wrote itself have tests in
 * `tests/tools/` instead.
 */
async function mustFail(name: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof StackError) return;
    throw error;
  }
  throw new StackError(
    `The check "${name}" proves nothing: it did not report the mistake that its canary contains on purpose.`,
  );
}

const canaryLintFile = 'tests/fixtures/canary/lint/any.ts';

/** Reads the declared SQL files, by their paths from the project's root. */
const sqlSources = (): Source[] =>
  declaredFiles().map((name) => `sql/${name}`).map((file) => ({
    file,
    text: readFileSync(join(projectDir, file), 'utf8'),
  }));

/** The folders whose SQL runs in a user's project. The stack's tools configure servers of their own. */
const runsInProjects = (file: string): boolean => /^(?:client|functions|platform|runner|types)\//.test(file);

/** Releases that differ from the real ones: by a changed migration, by one that is gone, and by an earlier new one. */
const canaryReleases = (releases: SchemaRelease[]): SchemaRelease[][] => {
  const [first] = migrationFiles() as [string];
  const changed = (migrations: SchemaRelease['migrations']) => [...releases, { version: 'canary', migrations }];
  return [
    changed({ [first]: 'canary' }),
    changed({ '10000101000000_canary.sql': 'canary' }),
    [{ version: 'canary', migrations: { '99990101000000_canary.sql': 'canary' } }],
  ];
};

function checkGenerated(files: GeneratedFile[], command: string): void {
  const stale = files.filter(({ file, text }) => readFileSync(file, 'utf8') !== text).map(({ file }) => file);
  if (stale.length > 0) throw new StackError(`${stale.join(', ')}: out of date. Run ${command}.`);
}

/** Checks generated files, and proves for each file that the check would find a stale copy. */
async function checkEachGenerated(files: GeneratedFile[], command: string): Promise<void> {
  checkGenerated(files, command);
  for (const { file, text } of files) {
    await mustFail(`generated: ${file}`, async () => checkGenerated([{ file, text: `${text}canary` }], command));
  }
}

/** Lints a description of the API; warnings count as errors. It uses no network. */
const lintDescription = async (file: string): Promise<void> =>
  await runProgram(join(await toolsDir(), 'node_modules/.bin/redocly'), [
    'lint',
    file,
    '--config',
    'dev/docs/redocly.yaml',
  ], {
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  });

/**
 * Lints a known mistake: the description without its licence. By default the linter only warns of a missing licence, so
 * this check proves that warnings count as errors.
 */
async function lintCanaryDescription(): Promise<void> {
  const { info: { license: _, ...info }, ...rest } = openapiDocument();
  const dir = mkdtempSync(join(tmpdir(), 'flow-openapi-'));
  const file = join(dir, 'openapi.json');
  try {
    writeFileSync(file, JSON.stringify({ ...rest, info }));
    await lintDescription(file);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const sourceChecks: Check[] = [
  {
    name: 'format (deno fmt)',
    run: () => runProgram(denoBinary(), ['fmt', '--config', 'deno.json', '--check', '--quiet']),
  },
  {
    name: 'lint (oxlint)',
    run: async () => {
      await runProgram(program('oxlint'), ['--deny-warnings', '--ignore-pattern=tests/fixtures/canary']);
      await mustFail('lint', () => runProgram(program('oxlint'), ['--deny-warnings', canaryLintFile]));
    },
  },
  {
    name: 'imports keep to import_rules.ts and form no cycle; exported type names are unique',
    run: async () => {
      const sources = await sourcesWithImportRules();
      checkRows(sources.map(({ file }) => file));
      checkImports(sources);
      checkTypeNames(sources);
    },
  },
  {
    name: 'no folder and no file is too large (dev/checks/folders.ts)',
    run: async () => checkFolders(await sourcesWithImportRules(), sqlSources()),
  },
  {
    name: 'Multigres refuses no SQL of the project (dev/checks/multigres.ts)',
    run: async () => {
      const scripts = (await sourcesWithImportRules()).filter(({ file }) => runsInProjects(file));
      checkMultigres([...sqlSources(), ...scripts]);
    },
  },
  {
    name: 'patterns take linear time (recheck)',
    run: async () => await checkPatterns((await filesWithPatterns()).flatMap(filePatterns)),
  },
  { name: 'types on Node (tsc)', run: () => runProgram(program('tsc'), []) },
  { name: 'types of the console (tsc)', run: () => runProgram(program('tsc'), ['--project', 'console']) },
  {
    name: 'types on Deno (deno check)',
    run: () =>
      runProgram(denoBinary(), ['check', '--quiet', ...functionNames().map((name) => `functions/${name}/index.ts`)]),
  },
  {
    name: 'the committed package-lock.json names the packages of every platform',
    run: async () => {
      // The check reads the committed file, because npm install changes the working copy: it removes the packages that
      // its registry lacks.
      const lock = await runCommand('git', ['show', 'HEAD:package-lock.json'], { name: 'git show', cwd: projectDir });
      if (!hasAllPlatforms(lock)) {
        throw new StackError(
          'npm ci would refuse package-lock.json, because packages are missing from it. Run npm run lock:platforms.',
        );
      }
    },
  },
  {
    name: 'functions/deno.json names the versions of package.json',
    run: async () => {
      if (readFileSync(importMapFile, 'utf8') !== importMap()) {
        throw new StackError('functions/deno.json is out of date. Run npm run functions:imports.');
      }
    },
  },
  {
    name: 'runner/script/generated follows from the packages and runner/script/guest',
    run: async () => {
      const stale = await staleAssets();
      if (stale.length > 0) throw new StackError(`Out of date: ${stale.join(', ')}. Run npm run script:assets.`);
    },
  },
  {
    name: 'the generated pages of docs/reference are up to date',
    run: () => checkEachGenerated(generatedDocs(), 'npm run docs'),
  },
  {
    name: 'the generated files of sql/ are up to date',
    run: () =>
      checkEachGenerated(
        generatedSql().map(({ file, text }) => ({ file: join(projectDir, file), text })),
        'npm run db:diff -- <name>',
      ),
  },
  {
    name: 'released migrations are unchanged (supabase/releases.json)',
    run: async () => {
      const releases = readReleases();
      checkReleases(releases);
      for (const canary of canaryReleases(releases)) {
        await mustFail('released migrations', async () => checkReleases(canary));
      }
    },
  },
  {
    name: 'docs/reference/openapi.json is valid (redocly lint)',
    run: async () => {
      await lintDescription(openapiFile);
      await mustFail('redocly lint', lintCanaryDescription);
    },
  },
];

async function checkDiff(cluster: Cluster, from: string, to: string): Promise<void> {
  for (const [a, b] of [[from, to], [to, from]] as const) {
    const difference = await diffDatabases(cluster.url('postgres', a), cluster.url('postgres', b));
    if (difference !== '') {
      throw new StackError(
        `supabase/migrations and sql/ differ. Run npm run db:diff -- <name> to write the migration.\n${difference}`,
      );
    }
  }
}

async function checkTypes(cluster: Cluster, database: string): Promise<void> {
  if (await generateTypes(cluster, database) !== readFileSync(databaseTypesFile, 'utf8')) {
    throw new StackError('types/database.types.ts is out of date. Run npm run db:types.');
  }
}

async function checkAdvice(cluster: Cluster, database: string): Promise<void> {
  const advice = await readAdvice(cluster, database);
  if (advice.length > 0) {
    throw new StackError(advice.map(({ level, name, detail }) => `${level} ${name}: ${detail}`).join('\n'));
  }
}

/** Makes a database with a known mistake for each check (the canary). */
async function createCanary(cluster: Cluster): Promise<void> {
  await createDatabase(cluster, 'canary', 'migrated');
  const sql = connect(cluster.url('postgres', 'canary'));
  await sql`create table public.canary (flow_id integer references public.flows (id))`;
  await sql.end();
}

/** The checks that need databases. Each check runs on the real database, and on the canary, where it must fail. */
const schemaChecks = (cluster: Cluster): Check[] => [
  {
    name: 'migrations equal sql/ (supabase db diff, both ways)',
    run: async () => {
      await checkDiff(cluster, 'migrated', 'declared');
      await mustFail('migrations equal sql/', () => checkDiff(cluster, 'canary', 'declared'));
    },
  },
  {
    name: 'types/database.types.ts is up to date (supabase gen types)',
    run: async () => {
      await checkTypes(cluster, 'migrated');
      await mustFail('database types', () => checkTypes(cluster, 'canary'));
    },
  },
  {
    name: 'advisors find nothing (supabase db advisors)',
    run: async () => {
      await checkAdvice(cluster, 'migrated');
      await mustFail('advisors', () => checkAdvice(cluster, 'canary'));
    },
  },
];

async function runChecks(checks: Check[]): Promise<number> {
  let failures = 0;
  for (const { name, run } of checks) {
    const began = performance.now();
    try {
      await run();
      console.log(`ok      ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failures++;
      console.log(`FAILED  ${name}\n${error instanceof StackError ? error.message : (error as Error).stack}\n`);
    }
  }
  return failures;
}

let failures = await runChecks(sourceChecks);
failures += await withScratchCluster(async (cluster) => {
  await createMigratedDatabase(cluster, 'migrated');
  await createDeclaredDatabase(cluster, 'declared');
  await createCanary(cluster);
  return await runChecks(schemaChecks(cluster));
});
if (failures > 0) {
  console.log(`${failures} checks failed`);
  process.exitCode = 1;
}
