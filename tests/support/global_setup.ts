import { appendFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Cluster, type LoginRole, startScratchCluster } from '../../supabase/local/cluster.ts';
import { projectDir } from '../../supabase/local/paths.ts';
import { findFreePort } from '../../supabase/local/ports.ts';
import { type Stack, type StackStatus, startStack } from '../../supabase/local/stack.ts';
import { seedNodes } from '../../supabase/tools/publish_nodes.ts';
import { createTemplate } from './template.ts';

/** Addresses of the server that test files clone their databases on, by role. */
export type ClusterUrls = Record<LoginRole, string>;

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackStatus & { SUPERUSER_URL: string };
    cluster: ClusterUrls;
    /** The file that holds all that the stack has logged. */
    stackLog: string;
  }
}

/** Boots, once for all test files, the real stack and a second server with a migrated template to clone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = join(projectDir, '.stack', `test-${process.pid}`);
  const stackLog = join(tmpdir(), `flow-test-${process.pid}.log`);
  const volatile = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const port = await findFreePort();
  let cluster: Cluster & { remove: () => Promise<void> } | undefined;
  let stack: Stack | undefined;
  const teardown = async () => {
    await stack?.remove();
    await cluster?.remove();
    rmSync(stackLog, { force: true });
  };
  try {
    [stack, cluster] = await Promise.all([
      startStack({
        port,
        dir,
        watch: false,
        postgresSettings: volatile,
        // A line for each run of the tests would drown what matters; some of these fail on purpose.
        log: (line) => {
          appendFileSync(stackLog, `${line}\n`);
          if (!/"level":"info"|"event":"run_finished"/.test(line)) console.log(line);
        },
        onCrash: (description) => console.error(description),
      }),
      startScratchCluster(`test-template-${process.pid}`, port + 10).then(async (started) => {
        await createTemplate(started);
        return started;
      }),
    ]);
    // As npm start does: whatever definitions a test adds, those of the runner's nodes are there.
    await seedNodes(stack.status, { log: (line) => console.log(line) });
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('stack', { ...stack.status, SUPERUSER_URL: stack.superuserUrl });
  project.provide('stackLog', stackLog);
  const { url } = cluster;
  project.provide('cluster', {
    supabase_admin: url('supabase_admin'),
    postgres: url('postgres'),
    authenticator: url('authenticator'),
    supabase_auth_admin: url('supabase_auth_admin'),
  });
  return teardown;
}
