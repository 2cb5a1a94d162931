import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSupabase } from '../../dev/stack/migrations.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { ACCESS_TOKEN, type ManagementApi, PROJECT_REF, startManagementApi, type Upload } from './management_api.ts';

/** The real Supabase CLI. It deploys to a stub of the Management API. */
export interface CliDeploy {
  api: ManagementApi;
  /** Makes a folder that is removed at the end. */
  scratchDir: string;
  /**
   * Deploys the named functions; without names, all functions. Rejects with the CLI's output if the CLI's exit code is
   * not 0.
   */
  deploy: (...names: string[]) => Promise<Upload[]>;
  close: () => Promise<void>;
}

/** Prepares deploys of a Supabase project, by default of this one. */
export async function startCliDeploy(supabaseProject = projectDir): Promise<CliDeploy> {
  const scratchDir = mkdtempSync(join(tmpdir(), 'flow-deploy-'));
  const api = await startManagementApi();
  const profile = join(scratchDir, 'profile.yaml');
  await writeFile(profile, api.profile);
  const where = ['--profile', profile, '--workdir', supabaseProject];
  return {
    api,
    scratchDir,
    deploy: async (...names) => {
      const before = api.uploads.length;
      await runSupabase(
        ['functions', 'deploy', ...names, '--use-api', '--yes', `--remote=${PROJECT_REF}`, ...where],
        // The CLI stores a file in its home folder, so give it another one.
        { SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN, HOME: scratchDir },
      );
      return api.uploads.slice(before);
    },
    close: async () => {
      await api.close();
      await rm(scratchDir, { recursive: true, force: true });
    },
  };
}
