import { appendFileSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import type { Cluster, LoginRole } from '../../dev/stack/postgres/cluster.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { type Stack, startStack } from '../../dev/stack/stack.ts';
import { removeData } from '../../dev/stack/stack_dir.ts';
import { seedNodes } from '../../dev/nodes/publish_nodes.ts';
import { copyStack, makeBlankStack, VOLATILE } from './blank_stack.ts';
import { startTemplateCluster } from './template.ts';

/** Addresses of the server on which test files clone their databases. Each role has an address. */
type ClusterUrls = Record<LoginRole, string>;

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackStatus & { SUPERUSER_URL: string };
    cluster: ClusterUrls;
    /** The file with the stack's log. */
    stackLog: string;
    /** The folder of a migrated, stopped stack, for `copyStack`. */
    blankStack: string;
  }
}

/** Boots the real stack once for all test files, and a second server with a migrated template to clone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dirOf = (name: string) => join(projectDir, '.stack', `test-${name}${process.pid}-`);
  const [blankStack, dir, templateDir] = [dirOf('blank-'), dirOf(''), dirOf('template-')];
  const stackLog = join(tmpdir(), `flow-test-${process.pid}.log`);
  const port = await findFreePort();
  let cluster: Cluster | undefined;
  let stack: Stack | undefined;
  const teardown = async () => {
    await stack?.stop();
    await cluster?.part.stop();
    // Delete also the folders of single test files. Their names begin with the name of the folder that they copy.
    const made = await readdir(join(projectDir, '.stack')).catch(() => []);
    const copies = made.map((name) => join(projectDir, '.stack', name)).filter((copy) => copy.startsWith(blankStack));
    for (const folder of [...copies, blankStack, dir, templateDir]) {
      await removeData(folder);
      rmSync(folder, { recursive: true, force: true });
    }
    rmSync(stackLog, { force: true });
  };
  try {
    await makeBlankStack(blankStack, port);
    await Promise.all([copyStack(blankStack, dir), copyStack(blankStack, templateDir)]);
    [stack, cluster] = await Promise.all([
      startStack({
        port,
        dir,
        watch: false,
        postgresSettings: VOLATILE,
        // Tests sign up many users, so Auth has no limits.
        authRates: null,
        // Show no lines about single runs, which would hide the important ones. Some runs fail on purpose.
        log: (line) => {
          appendFileSync(stackLog, `${line}\n`);
          if (!/"level":"info"|"event":"run_finished"/.test(line)) console.log(line);
        },
        onCrash: (description) => console.error(description),
      }),
      startTemplateCluster(templateDir, await findFreePort(port + 10)),
    ]);
    // Build the console now. Otherwise the first stacks that tests boot would each begin to build it.
    stack.buildConsole();
    // Add the definitions of the runner's nodes, as npm start does. Tests may add others.
    await seedNodes(stack.status, { log: (line) => console.log(line) });
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('stack', { ...stack.status, SUPERUSER_URL: stack.superuserUrl });
  project.provide('stackLog', stackLog);
  project.provide('blankStack', blankStack);
  const { url } = cluster;
  project.provide('cluster', {
    supabase_admin: url('supabase_admin'),
    postgres: url('postgres'),
    authenticator: url('authenticator'),
    supabase_auth_admin: url('supabase_auth_admin'),
    supabase_storage_admin: url('supabase_storage_admin'),
  });
  return teardown;
}
