import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
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
  expect(output).toMatch(/^succeeded \{"M":\{.*"3 x tea at 2.20 = 6.60"/m);
  expect(output).toMatch(/^200 \{"M":\{.*"3 x tea at 2.20 = 6.60"/m);
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
