import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { readTransactionSettings } from '../../functions/runner/chain/transaction_settings.ts';
import { nodeIds } from '../../functions/runner/nodes/registry.ts';
import { readRunnerSettings } from '../../functions/runner/settings.ts';
import { projectDir } from '../../supabase/local/paths.ts';
import { cloneDatabase } from '../support/database.ts';
import { startTestChain } from '../support/solana.ts';

const readme = readFileSync(join(projectDir, 'README.md'), 'utf8');

/** The code block of the README that follows the mark `<!-- tested: name -->`. */
function testedBlock(name: string): string {
  const block = new RegExp(`<!-- tested: ${name} -->\\n+\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (block === undefined) throw new Error(`the README has no block marked ${name}`);
  return block;
}

interface Ended {
  code: number | null;
  output: string;
}

/** Runs a program in the project's folder, with what the README tells its readers to have in the environment. */
async function run(command: string, args: string[], more: Record<string, string> = {}): Promise<Ended> {
  const { API_URL, PUBLISHABLE_KEY: KEY, SECRET_KEY } = inject('stack');
  const child = spawn(command, args, { cwd: projectDir, env: { ...process.env, API_URL, KEY, SECRET_KEY, ...more } });
  let output = '';
  child.stdout.on('data', (chunk) => output += chunk);
  child.stderr.on('data', (chunk) => output += chunk);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

const node = (...args: string[]) => run(process.execPath, args);

/** Type-checks a program of the README, saved where its readers save it, and runs it. */
async function runProgram(name: string, source: string, more?: Record<string, string>): Promise<Ended> {
  const file = join(projectDir, `${name}.ts`);
  const config = join(projectDir, `${name}.tsconfig.json`);
  try {
    await writeFile(file, source);
    await writeFile(config, JSON.stringify({ extends: './tsconfig.json', include: [], files: [`${name}.ts`] }));
    const checked = await run(join(projectDir, 'node_modules/.bin/tsc'), ['-p', config]);
    expect(checked.output).toBe('');
    return await run(process.execPath, ['--import', 'tsx', '--import', './supabase/local/websocket.ts', file], more);
  } finally {
    await Promise.all([rm(file, { force: true }), rm(config, { force: true })]);
  }
}

it("the README's curl calls work as they stand", async () => {
  const { code, output } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', testedBlock('curl')]);
  expect(code, output).toBe(0);
  const [deployed, rest] = output.split(/(?<=\})(?=\{)/);
  expect(JSON.parse(deployed!)).toHaveProperty('deployment_id');
  expect(rest).toMatch(/^\{"M":\{.*\}\[\{"status":"succeeded"/);
});

it("the README's supabase-js example type-checks and works as it stands", async () => {
  const counts =
    'console.log(JSON.stringify([nodes, logs, children, asked, items].map(({ data }) => data?.length)));\n';
  const source = [testedBlock('supabase-js'), testedBlock('owner reads'), counts].join('\n');
  const { code, output } = await runProgram('readme_example', source);
  expect(code, output).toBe(0);
  expect(output).toContain('succeeded {"M":{"prices"');
  expect(output).toContain('200 {"M":{"prices"');
  expect(output).toContain('"summary":{"S":"1042"}');
  expect(output.trimEnd().split('\n').at(-1)).toMatch(/^\[[1-9]\d*,0,0,0,0\]$/);
});

it("the README's paid action works as it stands, in all three ways, and each time exactly its price is paid", async () => {
  const chain = await startTestChain({ slotMs: 100 });
  try {
    const source = ['paid action', 'signature requests', 'action signer'].map(testedBlock).join('\n');
    const { code, output } = await runProgram('readme_action', source, { CHAIN_URL: chain.url });
    expect(code, output).toBe(0);
    const signature = '[1-9A-HJ-NP-Za-km-z]{86,88}';
    const transferred = `\\{"M":\\{"signature":\\{"B6":"${signature}"\\}\\}\\}`;
    // Price and fee, and 5,001 lamports for the network.
    const balances = [1n, 2n, 3n].map((times) =>
      [10_000_000n * times, 1_000_000n * times, 1_000_000_000n - 11_005_001n * times].join(' ')
    );
    expect(output.trimEnd().split('\n')).toEqual([
      expect.stringMatching(`^sent ${signature}$`),
      `lamports ${balances[0]}`,
      expect.stringMatching(`^sold ${transferred}$`),
      `lamports ${balances[1]}`,
      expect.stringMatching(`^sent ${signature}$`),
      expect.stringMatching(`^found ${transferred}$`),
      `lamports ${balances[2]}`,
    ]);
    expect(chain.ledger.landed.filter(({ memo }) => memo !== null)).toHaveLength(2);
  } finally {
    await chain.stop();
  }
});

it("the README's statements schedule the runner and check the schedule, as they stand", async () => {
  const database = await cloneDatabase();
  try {
    const sql = database.connect();
    await sql`select test.create_pg_cron(), test.create_pg_net(), test.create_vault()`;
    // The last statement's rows.
    const rows = async (block: string) => {
      const results = await sql.unsafe(testedBlock(block)) as unknown as { is_ok: boolean }[][];
      return Array.isArray(results[0]) ? results.at(-1)! : results as unknown as { is_ok: boolean }[];
    };
    const scheduled = await rows('schedule');
    expect(scheduled.filter((row) => !row.is_ok)).toEqual([]);
    expect(await rows('check')).toEqual(scheduled);
  } finally {
    await database.drop();
  }
});

it("the README's metrics are those that the database tells", async () => {
  const { code, output } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', testedBlock('metrics')]);
  expect(code, output).toBe(0);
  const told = Object.keys(JSON.parse(output));
  const listed = [...readme.matchAll(/^\| `(\w+)` +\|/gm)].map((match) => match[1]);
  expect(listed).toEqual(expect.arrayContaining(told));
  expect(told).toHaveLength(6);
});

it('the demo holds on a stack of its own, and takes a file', async () => {
  const { code, output } = await node('--import', 'tsx', 'supabase/local/demo.ts', 'docs/example_flow.json');
  expect(code, output).toBe(0);
  expect(output).toContain('All of it held.');
  expect(output).not.toMatch(/eyJ[\w-]+\./);
});

it('the demo says in one line what is wrong with its file', async () => {
  const missing = await node('--import', 'tsx', 'supabase/local/demo.ts', 'nowhere.json');
  expect([missing.code, missing.output.trim().split('\n')]).toEqual([1, [expect.stringContaining('There is no file')]]);
  const wrong = await node('--import', 'tsx', 'supabase/local/demo.ts', 'package.json');
  expect(wrong.code).toBe(1);
  // Before anything is booted.
  expect(wrong.output).toMatch(/^\nThis is no flow as the editor saves it/);
});

it('the demo answers an option that it has not with those that it has', async () => {
  const { code, output } = await node('--import', 'tsx', 'supabase/local/demo.ts', '--foo');
  expect([code, output.trim().split('\n')]).toEqual([1, [
    expect.stringContaining("Unknown option '--foo'"),
    expect.stringMatching(/^npm run demo -- \[--port N\]/),
  ]]);
});

it('every path that the documents name exists', () => {
  for (const document of ['README.md', 'docs/decisions.md']) {
    const text = readFileSync(join(projectDir, document), 'utf8');
    const paths = [...text.matchAll(/(?:`|\]\()((?:sql|supabase|functions|types|tests|docs)\/[\w./-]*)(?:`|\))/g)].map((
      match,
    ) => match[1]!);
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) expect(existsSync(join(projectDir, path)), `${document} names ${path}`).toBe(true);
  }
});

it('the README names every node that there is, and every setting of the runner that limits runs', () => {
  const nodes = readme.slice(readme.indexOf('## What flows are made of'), readme.indexOf('A failing node fails alone'));
  const named = [...nodes.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
  const families = nodeIds().map((id) => id.replace(/^rhai_script_\dx\d$/, 'rhai_script_NxM'));
  expect(named.filter((name) => name.length > 1).toSorted()).toEqual([...new Set(families)].toSorted());

  const limits = [...readme.matchAll(/`((?:FLOW_RUN|HTTP|RUNNER|SIGNATURE|ACTION)_[A-Z_]+)`/g)].map((match) =>
    match[1]!
  );
  const known: string[] = [];
  readRunnerSettings((name) => {
    known.push(name);
    return undefined;
  }, false);
  expect(limits.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => /^(FLOW_RUN|HTTP|SIGNATURE|ACTION)_/.test(name) && !limits.includes(name))).toEqual([]);
});

it("the README names every setting that a flow's environment has for transactions", () => {
  const known: string[] = [];
  readTransactionSettings(
    new Proxy({}, {
      getOwnPropertyDescriptor(_settings, name) {
        known.push(String(name));
        return undefined;
      },
    }),
  );
  expect(known.length).toBeGreaterThan(0);
  expect(known.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
