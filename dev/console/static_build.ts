import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import { contentSecurityPolicy } from '../stack/console/security_policy.ts';
import { projectDir } from '../stack/paths.ts';
import { StackError } from '../stack/stack_error.ts';

interface StaticBuildOptions {
  /** The address of the project. */
  url: string;
  /** Its publishable key. */
  key: string;
  /** The path under which the host serves the files. */
  base: string;
  /** The folder for the files; its contents are deleted first. */
  outDir: string;
}

/** Writes the Content-Security-Policy into the page, for hosts that don't send it as a header. */
const policyInPage = (url: string): Plugin => ({
  name: 'console-policy',
  transformIndexHtml: () => [{
    tag: 'meta',
    attrs: { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy({ apiUrl: url }) },
    injectTo: 'head-prepend',
  }],
});

/** Throws a StackError for options with which a browser could not reach the project. */
function checkOptions({ url, key, base }: StaticBuildOptions): void {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !['http:', 'https:'].includes(address.protocol) || address.pathname !== '/') {
    throw new StackError('--url must be the address of a project, such as https://<ref>.supabase.co.');
  }
  if (key.startsWith('sb_secret_')) throw new StackError('--key must be the publishable key: this one is secret.');
  if (!base.startsWith('/') || !base.endsWith('/')) throw new StackError('--base must begin and end with a slash.');
}

/** Builds the console into static files for any host. Throws a StackError for options that can't work. */
export async function buildStaticConsole(options: StaticBuildOptions): Promise<void> {
  checkOptions(options);
  const { url, key, base, outDir } = options;
  const { NODE_ENV } = process.env;
  // NODE_ENV is set here, because Vite would keep a value from the shell and might build the development version of
  // React.
  process.env.NODE_ENV = 'production';
  try {
    await build({
      configFile: join(projectDir, 'console/vite.config.ts'),
      base,
      logLevel: 'warn',
      plugins: [policyInPage(url)],
      build: { outDir },
    });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  await writeFile(join(outDir, 'config.json'), JSON.stringify({ url: new URL(url).origin, key }));
}
